import { describe, expect, test } from 'vitest'
import { connect06 } from '../support/asking/asking-clients.ts'
import { askingGateway, connectAs, type PublishedClient, replays } from '../support/client/replay.ts'

describe('Gemini CLI', () => {
  const gemini: PublishedClient = {
    info: { name: 'gemini-cli-mcp-client', version: '0.61.0' },
    how: connect06,
    sees: 'nothing',
  }
  replays(gemini)

  test('finds no event id at the end of a stream, which it would try to resume, and report at its start', async () => {
    const client = await connectAs(await askingGateway(), gemini)
    await client.listTools()
    expect(client.received()).toMatch(/^event: message\ndata: .*"tools":/m)
    expect(client.received()).not.toMatch(/^id: /m)
  })
})
