import { describe, expect, test } from 'vitest'
import { connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { askingUpstreams } from '../support/gateway/gateways.ts'
import { serverStores } from '../support/stores.ts'
import { balanced } from './balanced.ts'

const clients = { '2025-11-25': connect11, '2025 of SDK 1.32': connectOld, '2026': connect26 }
const cells = Object.entries(clients).flatMap(([client, how]) =>
  Object.entries(askingUpstreams)
    .filter(([name]) => name !== '2026 over stdio')
    .map(([upstream, start]) => ({ client, upstream, how, start })),
)

describe.each(Object.entries(serverStores))('three instances on %s, every request at another one', (_, freshStore) => {
  test.each(cells)(
    'a form of an upstream of $upstream reaches a client of $client, and the answer the upstream',
    async ({ how, start }) => {
      const { connect, balancer } = await balanced(await freshStore(), { up: await start() })
      const client = await connect(how)
      client.answers(() => ({ action: 'accept', content: { branch: 'main' } }))
      for (let time = 0; time < 4; time++) expect((await client.call('up__build')).text).toBe('built main')
      expect(client.asked).toHaveLength(4)
      expect(new Set(balancer.sent.map(({ at }) => at)).size).toBe(3)
    },
  )

  test.each(cells)(
    'an approval of a call to an upstream of $upstream by a client of $client',
    async ({ how, start }) => {
      const { connect } = await balanced(
        await freshStore(),
        { up: await start() },
        { assentOptions: { policy: { default: 'ask' } } },
      )
      const client = await connect(how)
      client.answers(({ requestedSchema }) =>
        requestedSchema?.properties.branch !== undefined
          ? { action: 'accept', content: { branch: 'main' } }
          : { action: 'accept', content: { choice: 'allow_once' } },
      )
      for (let time = 0; time < 3; time++) {
        const result = await client.call('up__build')
        expect(result.text).toContain('built main')
      }
    },
  )
})
