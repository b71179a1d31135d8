import { describe } from 'vitest'
import { connect26 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('the AI SDK with a handler for questions', () =>
  replays({
    info: { name: 'ai-sdk-mcp-client', version: '1.0.0' },
    how: connect26,
    elicitation: {},
    sees: 'form',
  }))
