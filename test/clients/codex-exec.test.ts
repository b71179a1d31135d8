import { describe } from 'vitest'
import { connect06 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Codex without a person (`codex exec`)', () =>
  replays({
    info: { name: 'codex-mcp-client', version: '0.166.0' },
    how: connect06,
    elicitation: { form: {}, url: {} },
    meta: { 'x-codex-turn-metadata': { turn_trigger: 'exec' } },
    alone: 'decline',
    sees: 'nothing',
  }))
