import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import type { Assent, AssentOptions } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import {
  type AskedClient,
  type Connect,
  type ConnectOptions,
  connect11,
  connect26,
  connectOld,
} from '../support/asking/asking-clients.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { asking, say } from '../support/server/servers.ts'

const policy: AssentOptions['policy'] = {
  default: 'allow',
  fallback: 'inbox',
  rules: [
    { tool: 'denied*', decide: 'deny' },
    { tool: 'asked*', decide: 'ask' },
  ],
}
const clocks = { hold: 50 }

/** Each tool twice: without an output schema, and with one. */
const names = ['denied', 'asked', 'allowed'].flatMap((name) => [`${name}_plain`, `${name}_typed`])
const isTyped = (name: string) => name.endsWith('_typed')
const done = (name: string) => (isTyped(name) ? { ...say('done'), structuredContent: { count: 1 } } : say('done'))

interface Place {
  readonly assent: Assent
  /** What clients call the tool. */
  nameOf(tool: string): string
  connect(how: Connect, options?: ConnectOptions): Promise<AskedClient>
}

const upstreams = {
  '2025': () =>
    oldServer((server) => {
      for (const name of names)
        server.registerTool(name, isTyped(name) ? { outputSchema: { count: z3.number() } } : {}, () => done(name))
    }),
  '2026': () =>
    newServer((server) => {
      for (const name of names)
        server.registerTool(name, isTyped(name) ? { outputSchema: z.object({ count: z.number() }) } : {}, () =>
          done(name),
        )
    }),
}

const joined = (era: keyof typeof upstreams) => async (): Promise<Place> => {
  const { assent, connect } = await gated(
    { up: { url: await upstreams[era]() } },
    { assentOptions: { policy }, clocks },
  )
  return { assent, connect, nameOf: (tool) => `up__${tool}` }
}

const alone = (era: keyof typeof upstreams) => async (): Promise<Place> => {
  const { assent, connect } = await gated(
    { up: { url: await upstreams[era]() } },
    { assentOptions: { policy }, clocks },
  )
  return { assent, connect: (how, options) => connect(how, { ...options, only: 'up' }), nameOf: (tool) => tool }
}

const places: Record<string, () => Promise<Place>> = {
  'the library': async () => {
    const { assent, connect } = await asking(
      (server, { approvedTool }) => {
        for (const name of names)
          server.registerTool(
            name,
            isTyped(name) ? { outputSchema: z.object({ count: z.number() }) } : {},
            approvedTool(async () => done(name)),
          )
      },
      { assentOptions: { policy }, clocks },
    )
    return { assent, connect, nameOf: (tool) => tool }
  },
  '/mcp before a 2025 upstream': joined('2025'),
  '/mcp before a 2026 upstream': joined('2026'),
  '/mcp/{server} before a 2025 upstream': alone('2025'),
  '/mcp/{server} before a 2026 upstream': alone('2026'),
}

const clients: [string, Connect][] = [
  ['SDK 1.32', connectOld],
  ['SDK 2.4 on 2025-11-25', connect11],
  ['SDK 2.4 on 2026-07-28', connect26],
]

describe.each(Object.entries(places))('at %s', (_place, start) => {
  describe.each(clients)('a client of %s', (_client, how) => {
    /** A client that knows the output schemas, so that it checks what has to fit them. */
    async function begin(options?: ConnectOptions) {
      const place = await start()
      const client = await place.connect(how, options)
      await client.listTools()
      return { ...place, client }
    }

    async function expectRefused({ client, nameOf }: Place & { client: AskedClient }, tool: string, outcome: object) {
      const refused = await client.call(nameOf(tool))
      expect(refused).toMatchObject({ isError: true, outcome, structuredContent: undefined })
      expect(refused.text).not.toBe('')
      expect(client.received()).not.toContain('"structuredContent"')
    }

    test.each(['plain', 'typed'])('gets no structured content of a %s tool that policy denies', async (kind) => {
      await expectRefused(await begin(), `denied_${kind}`, { status: 'denied' })
    })

    test.each(['plain', 'typed'])('nor of a %s tool that the person declines', async (kind) => {
      const begun = await begin()
      begun.client.answers(() => ({ action: 'decline' }))
      await expectRefused(begun, `asked_${kind}`, { status: 'denied', reason: 'declined' })
      expect(begun.client.asked).toHaveLength(1)
    })

    test.each(['plain', 'typed'])('nor of a %s tool that waits in the inbox', async (kind) => {
      await expectRefused(await begin({ elicitation: undefined }), `asked_${kind}`, {
        status: 'pending',
        reason: 'waiting-for-approval',
      })
    })

    test.each(['plain', 'typed'])('nor of an allowed %s tool while everything is paused', async (kind) => {
      const begun = await begin()
      // From the second call of a session on, the gateway answers on its fast path.
      expect(await begun.client.call(begun.nameOf('allowed_plain'))).toMatchObject({ isError: false, text: 'done' })
      await begun.assent.approvals.pause(localParticipant)
      await expectRefused(begun, `allowed_${kind}`, { status: 'denied', reason: 'paused' })
    })

    test('gets the structured content of a typed tool that ran', async () => {
      const { client, nameOf } = await begin()
      expect((await client.call(nameOf('allowed_typed'))).structuredContent).toEqual({ count: 1 })
    })
  })
})
