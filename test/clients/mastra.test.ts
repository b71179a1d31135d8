import { describe } from 'vitest'
import { connect26 } from '../support/asking/asking-clients.ts'
import { replays } from '../support/client/replay.ts'

describe('Mastra with a handler, which calls itself what its config calls the server', () =>
  replays({
    info: { name: 'assent', version: '1.0.0' },
    how: connect26,
    elicitation: { form: {}, url: {} },
    sees: 'form',
  }))
