import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { oauthClient, startOAuthServer } from '../support/oauth/oauth-server.ts'
import { local, say } from '../support/server/servers.ts'
import { guarded, type NotLetIn } from './guarded.ts'

const upstreams = {
  '2025': (runs: string[]) =>
    oldServer((mcp) => {
      for (const name of ['read', 'write'])
        mcp.registerTool(name, {}, async () => {
          runs.push(name)
          return say(`${name} done`)
        })
    }),
  '2026': (runs: string[]) =>
    newServer((mcp) => {
      for (const name of ['read', 'write'])
        mcp.registerTool(name, {}, () => {
          runs.push(name)
          return say(`${name} done`)
        })
    }),
}

const invalid: NotLetIn = { status: 401, challenge: 'Bearer error="invalid_token"' }
const narrow: NotLetIn = { status: 403, challenge: 'Bearer error="insufficient_scope", scope="notes.write"' }

describe.each(Object.entries(upstreams))('an upstream of %s that takes the tokens of an OAuth server', (_, start) => {
  describe.each([
    ['2025', connect11],
    ['2026', connect26],
  ] as const)('called by a client of %s', (_client, how) => {
    /** The upstream asks the OAuth server about each token; `write` wants a scope of its own. */
    const meet = async (judge: (token: string, isCall: boolean) => NotLetIn | undefined = () => undefined) => {
      let moved = 0
      const clock = { ...systemClock, now: () => new Date(Date.now() + moved) }
      const oauth = await startOAuthServer()
      const runs: string[] = []
      const calls: (string | undefined)[] = []
      const basic = Buffer.from(`${oauthClient.clientId}:${oauthClient.clientSecret}`).toString('base64')
      const guard = await guarded(await start(runs), 'authorization', async (given = '', body) => {
        const isCall = body.includes('"tools/call"')
        if (isCall) calls.push(given)
        const token = given.replace('Bearer ', '')
        const reply = await fetch(`${oauth.issuer}/token/introspection`, {
          method: 'POST',
          headers: { Authorization: `Basic ${basic}` },
          body: new URLSearchParams({ token }),
        })
        const { active, scope = '' } = (await reply.json()) as { active?: boolean; scope?: string }
        if (active !== true) return invalid
        if (body.includes('"name":"write"') && !scope.split(' ').includes('notes.write')) return narrow
        return judge(token, isCall)
      })
      const providers = { notes: { issuer: oauth.issuer, ...oauthClient, title: 'Notes', scopes: ['notes.read'] } }
      const { assent, connect } = await gated(
        { notes: { url: guard.url, provider: 'notes' } },
        { assentOptions: { clock, providers, policy: { default: 'allow', fallback: 'inbox' } } as never },
      )
      const wanted: (readonly string[])[] = []
      let ticked: readonly string[] | undefined
      assent.events.listen(async ({ kind, ...news }) => {
        if (kind !== 'asked' || !('elicitation' in news)) return
        const { id, question } = news.elicitation
        wanted.push((question.mode === 'url' && question.connect?.scopes) || [])
        const person = { participant: local, groups: [] }
        const begun = await assent.connections.begin({ provider: 'notes', person, browser: 'b', elicitation: id })
        if (begun.kind !== 'begun') throw new Error(`It was not begun: ${begun.kind}`)
        const callback = await oauth.visit(begun.url, { account: 'ada', ...(ticked && { scopes: ticked }) })
        await assent.connections.complete({ person, browser: 'b', callback })
      })
      const client = await connect(how, { only: 'notes' })
      client.answers(() => ({ action: 'accept' }))
      expect((await client.call('read')).text).toBe('read done')
      expect(wanted).toEqual([['notes.read']])
      return {
        assent,
        client,
        oauth,
        runs,
        calls,
        wanted,
        later: (ms: number) => {
          moved += ms
        },
        ticks: (scopes: readonly string[]) => {
          ticked = scopes
        },
      }
    }

    test('is sent a new token where the old one has run out, which no client sees (E11-27), and nobody is asked', async () => {
      const { client, oauth, calls, wanted, later } = await meet()
      later(3_600_000)
      expect((await client.call('read')).text).toBe('read done')
      expect(oauth.count('/token', 'refresh_token')).toBe(1)
      expect(new Set(calls).size).toBe(2)
      expect(calls).toHaveLength(2)
      expect(wanted).toHaveLength(1)
      for (const token of calls) expect(client.received()).not.toContain(String(token).replace('Bearer ', ''))
    })

    test('gets a new token when it does not take the old one, and the call runs once', async () => {
      const bad = new Set<string>()
      const { client, oauth, calls, wanted, runs } = await meet((token) => (bad.has(token) ? invalid : undefined))
      bad.add(String(calls[0]).replace('Bearer ', ''))
      expect((await client.call('read')).text).toBe('read done')
      expect(oauth.count('/token', 'refresh_token')).toBe(1)
      expect(wanted).toHaveLength(1)
      expect(runs).toEqual(['read', 'read'])
    })

    test('has the person asked again where a new token cannot be had', async () => {
      const { client, oauth, wanted, runs } = await meet()
      oauth.revokeAll('ada')
      expect((await client.call('read')).text).toBe('read done')
      expect(wanted).toEqual([['notes.read'], ['notes.read']])
      expect(runs).toEqual(['read', 'read'])
    })

    test('that does not take the renewed token either has the person connect again, once', async () => {
      const taken = new Set<string>()
      let isClosed = false
      const { client, calls, wanted, runs } = await meet((token, isCall) => {
        if (!isClosed || !isCall || wanted.length > 1) return undefined
        taken.add(token)
        return invalid
      })
      isClosed = true
      expect((await client.call('read')).text).toBe('read done')
      // The token of before and the renewed one were both refused.
      expect(taken.size).toBe(2)
      expect(wanted).toEqual([['notes.read'], ['notes.read']])
      expect(runs).toEqual(['read', 'read'])
      expect(new Set(calls).size).toBe(3)
    })

    test('that takes no token whatever has the person connect once, and is then told of', async () => {
      let isClosed = false
      const { client, wanted, runs } = await meet((_token, isCall) => (isClosed && isCall ? invalid : undefined))
      isClosed = true
      const { isError, outcome, text } = await client.call('read')
      expect(isError).toBe(true)
      expect(outcome?.status).toBe('failed')
      expect(['upstream-unauthorized', 'unusable']).toContain(outcome?.reason)
      expect(text).toMatch(/did not take the account that is connected|was connected, but cannot be used/)
      expect(wanted).toHaveLength(2)
      expect(runs).toEqual(['read'])
    })

    test('has the person asked for a scope that it misses, on top of those there are', async () => {
      const { assent, client, wanted, runs } = await meet()
      expect((await client.call('write')).text).toBe('write done')
      expect(wanted.at(-1)).toEqual(['notes.read', 'notes.write'])
      expect(wanted).toHaveLength(2)
      expect((await client.call('write')).text).toBe('write done')
      expect(wanted).toHaveLength(2)
      expect(runs).toEqual(['read', 'write', 'write'])
      const [account] = await assent.connections.list(local)
      expect(account?.scopes).toEqual(expect.arrayContaining(['notes.read', 'notes.write']))
    })

    test('is not called where the person does not give the scope', async () => {
      const { client, runs, calls, ticks } = await meet()
      ticks(['notes.read'])
      const { isError, outcome } = await client.call('write')
      expect({ isError, status: outcome?.status }).toEqual({ isError: true, status: 'declined' })
      expect(runs).toEqual(['read'])
      // A client of 2026 walks the call again with the answer, and meets the same no before that.
      expect(calls).toHaveLength(how === connect26 ? 3 : 2)
    })

    test('that says no for another reason is not asked twice', async () => {
      let isClosed = false
      const no: NotLetIn = { status: 403, challenge: 'Bearer error="access_denied"' }
      const { client, calls, wanted } = await meet((_token, isCall) => (isClosed && isCall ? no : undefined))
      isClosed = true
      expect((await client.call('read')).outcome).toEqual({ status: 'failed', reason: 'upstream-unauthorized' })
      expect(calls).toHaveLength(2)
      expect(wanted).toHaveLength(1)
    })
  })
})
