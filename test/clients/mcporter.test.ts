import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('mcporter, which opens a session for each command', () =>
  replays({
    info: { name: 'mcporter', version: '0.12.3' },
    how: connectOld,
    sees: 'nothing',
  }))
