import { describe, expect, test } from 'vitest'
import type { Assent } from '../../src/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { audited } from '../support/approval/approving.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { addNewTools } from '../support/gateway/new-tools.ts'
import { addOldTools } from '../support/gateway/old-tools.ts'
import { readPolicy } from '../support/policies.ts'
import { allowOnce, approving, choicesIn, filled } from '../support/server/approving.ts'
import { local, say } from '../support/server/servers.ts'

const none = { done: new Set<string>(), runs: [] }
/** The tool `build` acts once its question is answered. `acted` counts that. */
const upstreams = {
  '2025': (acted: string[]) =>
    oldServer((server) => {
      addOldTools(server, none)
      server.registerTool('act', {}, async () => {
        const branch = { type: 'object' as const, properties: { branch: { type: 'string' as const } } }
        const { action } = await server.server.elicitInput({ message: 'Which branch?', requestedSchema: branch })
        if (action === 'accept') acted.push(action)
        return say(action)
      })
    }),
  '2026': (acted: string[]) =>
    newServer((server) => {
      addNewTools(server, { done: new Set(), runs: acted })
      server.registerTool('act', {}, (ctx) => {
        const given = ctx.mcpReq.inputResponses?.branch as { action?: string } | undefined
        if (given?.action === 'accept') acted.push(given.action)
        if (given !== undefined) return say(String(given.action))
        const requestedSchema = { type: 'object', properties: { branch: { type: 'string' } } }
        const params = { mode: 'form', message: 'Which branch?', requestedSchema }
        return {
          resultType: 'input_required',
          inputRequests: { branch: { method: 'elicitation/create', params } },
        } as never
      })
    }),
}
const clients = [
  ['2025', connect11],
  ['2026', connect26],
] as const

const use = (policy: object) => (assent: Assent) => assent.approvals.usePolicy(readPolicy(policy))
const changes: Record<string, (assent: Assent) => Promise<unknown>> = {
  'everything is paused': ({ approvals }) => approvals.pause(alice),
  'the rule says deny': use({ default: 'deny' }),
  'the rule asks somebody else': use({ rules: [{ tool: '*', decide: 'ask', approvers: ['group:finance'] }] }),
}

describe.each(Object.entries(upstreams))('while an upstream of %s asks', (_era, start) => {
  describe.each(clients)('a client of %s', (_client, how) => {
    const meet = async (policy: object) => {
      const acted: string[] = []
      const met = await gated({ up: { url: await start(acted) } }, { assentOptions: { policy } as never })
      return { ...met, client: await met.connect(how, { only: 'up' }), acted }
    }

    test.each(Object.entries(changes))('%s: the approved call does not act', async (_change, change) => {
      const { client, assent, acted } = await meet({ default: 'ask', fallback: 'inbox' })
      client.answers(async (asked) => {
        if (asked.requestedSchema?.properties.choice !== undefined) return allowOnce(asked)
        await change(assent)
        return { action: 'accept', content: { branch: 'main' } }
      })
      await client.call('act')
      expect(client.asked).toHaveLength(2)
      expect(acted).toEqual([])
      expect(await audited(assent, 'call-started', 'call-refused')).toMatchObject([
        { kind: 'call-started' },
        { kind: 'call-refused' },
      ])
    })

    test('the lasting yes is taken back: the call does not act', async () => {
      const { client, assent, acted } = await meet({ default: 'ask', fallback: 'deny' })
      let hasChosen = false
      client.answers(async (asked) => {
        if (asked.requestedSchema?.properties.choice !== undefined) {
          if (hasChosen) return { action: 'decline' }
          hasChosen = true
          return filled(asked, { choice: choicesIn(asked).find((one) => one.startsWith('always_allow')) as string })
        }
        const [grant] = await assent.approvals.listAll(1)
        await assent.approvals.revoke((grant as NonNullable<typeof grant>).id, 'operator')
        return { action: 'accept', content: { branch: 'main' } }
      })
      await client.call('act')
      expect(acted).toEqual([])
    })

    test('the policy allowed the call and denies it by then: it does not act', async () => {
      const { client, assent, acted } = await meet({ default: 'allow' })
      client.answers(async () => {
        await use({ default: 'deny' })(assent)
        return { action: 'accept', content: { branch: 'main' } }
      })
      await client.call('act')
      expect(client.asked).toHaveLength(1)
      expect(acted).toEqual([])
    })

    test('nothing changes: the call acts once', async () => {
      const { client, acted } = await meet({ default: 'ask', fallback: 'inbox' })
      client.answers((asked) =>
        asked.requestedSchema?.properties.choice === undefined
          ? { action: 'accept', content: { branch: 'main' } }
          : allowOnce(asked),
      )
      expect((await client.call('act')).text).toBe('accept')
      expect(acted).toEqual(['accept'])
    })
  })
})

describe.each(clients)('while the person connects an account for a client of %s', (_client, how) => {
  test.each(Object.entries(changes))('%s: the call that policy allowed does not run', async (_change, change) => {
    const ran: string[] = []
    const url = await newServer(
      (server) =>
        void server.registerTool('list_notes', {}, () => {
          ran.push('list_notes')
          return say('your notes')
        }),
    )
    const providers = { notes: { apiKey: true, title: 'Notes', fieldLabel: 'Key', header: 'X-Key' } } as const
    const { assent, connect } = await gated(
      { notes: { url, provider: 'notes' } },
      { clocks: { hold: 50 }, assentOptions: { providers, policy: { default: 'allow', fallback: 'inbox' } } as never },
    )
    const client = await connect(how)
    client.answers(() => ({ action: 'accept' }))
    assent.events.listen((news) => {
      if (news.kind !== 'asked' || news.elicitation.purpose !== 'connect') return
      const connecting = { provider: 'notes', person: { participant: local, groups: [] } }
      void change(assent).then(() =>
        assent.connections.keepKey({ ...connecting, elicitation: news.elicitation.id }, 'key-1'),
      )
    })
    const ended = await client.call('notes__list_notes')
    expect(ran).toEqual([])
    expect(ended.text).not.toContain('your notes')
  })
})

describe.each(clients)('while a handler of the library asks a client of %s', (_client, how) => {
  test.each(Object.entries(changes))('%s: the rest of the handler does not run', async (_change, change) => {
    const { assent, deeds, connect } = await approving({
      more: (server, { approvedTool }, did) =>
        server.registerTool(
          'act',
          {},
          approvedTool(async (_args: unknown, ask) => {
            await ask.form('Which branch?', { type: 'object', properties: { branch: { type: 'string' } } })
            did.push('acted')
            return say('acted')
          }),
        ),
    })
    const client = await connect(how)
    client.answers(async (asked) => {
      if (asked.requestedSchema?.properties.choice !== undefined) return allowOnce(asked)
      await change(assent)
      return { action: 'accept', content: { branch: 'main' } }
    })
    const { outcome } = await client.call('act')
    expect(client.asked).toHaveLength(2)
    expect(outcome).toMatchObject({ status: 'denied' })
    expect(deeds).toEqual([])
  })
})
