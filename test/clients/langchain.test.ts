import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('LangChain', () =>
  replays({
    info: { name: '@langchain/mcp-adapters', version: '1.1.4' },
    how: connectOld,
    sees: 'nothing',
  }))
