import { describe } from 'vitest'
import { connect06 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Codex with a person at it', () =>
  replays({
    info: { name: 'codex-mcp-client', version: '0.166.0' },
    how: connect06,
    elicitation: { form: {}, url: {} },
    sees: 'form',
  }))
