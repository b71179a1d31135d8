import { describe } from 'vitest'
import { connect26 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Claude Code with a person at it', () =>
  replays({
    info: { name: 'claude-code', version: '2.1.325' },
    how: connect26,
    elicitation: { form: {}, url: {} },
    userAgent: 'claude-code/2.1.325 (cli)',
    sees: 'form',
  }))
