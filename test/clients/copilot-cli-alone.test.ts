import { describe } from 'vitest'
import { connect26 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Copilot CLI without a person (`copilot -p`), which nothing tells apart but its speed', () =>
  replays({
    info: { name: 'copilot-cli', version: '1.0.102' },
    how: connect26,
    elicitation: { form: {}, url: {} },
    alone: 'decline',
    sees: 'nothing',
  }))
