import { describe } from 'vitest'
import { connect26 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Copilot CLI with a person at it', () =>
  replays({
    info: { name: 'copilot-cli', version: '1.0.102' },
    how: connect26,
    elicitation: { form: {}, url: {} },
    sees: 'form',
  }))
