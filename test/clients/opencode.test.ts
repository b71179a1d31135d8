import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('opencode', () =>
  replays({
    info: { name: 'opencode', version: '1.18.33' },
    how: connectOld,
    sees: 'nothing',
  }))
