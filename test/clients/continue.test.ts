import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Continue', () =>
  replays({
    info: { name: 'continue-cli-client', version: '1.0.0' },
    how: connectOld,
    sees: 'nothing',
  }))
