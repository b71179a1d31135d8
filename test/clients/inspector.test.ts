import { describe } from 'vitest'
import { connectOld } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('the Inspector', () =>
  replays({
    info: { name: 'mcp-inspector', version: '2.12.0' },
    how: connectOld,
    elicitation: { form: {}, url: {} },
    sees: 'form',
  }))
