import { describe } from 'vitest'
import { connect06 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Gemini CLI', () =>
  replays({
    info: { name: 'gemini-cli-mcp-client', version: '0.61.0' },
    how: connect06,
    sees: 'nothing',
  }))
