import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Cline', () =>
  replays({
    info: { name: '@cline/core', version: '0.0.0' },
    how: connectOld,
    sees: 'nothing',
  }))
