import { describe } from 'vitest'
import { connect26 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Claude Code without a person (`claude -p`, the Agent SDK)', () =>
  replays({
    info: { name: 'claude-code', version: '2.1.325' },
    how: connect26,
    elicitation: { form: {}, url: {} },
    userAgent: 'claude-code/2.1.325 (sdk-cli)',
    alone: 'cancel',
    sees: 'nothing',
  }))
