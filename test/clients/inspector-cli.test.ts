import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('the Inspector on the command line', () =>
  replays({
    info: { name: 'inspector-cli', version: '2.12.0' },
    how: connectOld,
    sees: 'nothing',
  }))
