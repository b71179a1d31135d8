import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Qwen Code, whose name holds the name of the server', () =>
  replays({
    info: { name: 'qwen-cli-mcp-client-assent', version: '0.0.1' },
    how: connectOld,
    sees: 'nothing',
  }))
