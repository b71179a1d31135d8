import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect06, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { getExisting } from '../support/assents.ts'
import { allowOnce, answerOnPage, approving, choicesIn, deny, filled, idIn } from '../support/server/approving.ts'
import { local, nextAsked, participantOf, say } from '../support/server/servers.ts'

const clients = [
  ['2025-06-18', connect06],
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const
const ticketForm = z.object({ ticket: z.string() })
const env = { inputSchema: z.object({ env: z.string() }) }

/** Tools that ask for approval by themselves. */
function asking(options: Parameters<typeof approving>[0] = {}) {
  return approving({
    ...options,
    more: (server, { tool, approvedTool }, deeds) => {
      server.registerTool(
        'release',
        env,
        tool(async ({ env }: { env: string }, ask) => {
          const { ticket } = await ask.form('Which ticket?', ticketForm, { key: 'ticket' })
          await ask.approval(`Release ${ticket} to ${env}?`, { key: 'sure' })
          const run = await ask.once('release', () => deeds.push(`release ${ticket} to ${env}`))
          const { ticket: next } = await ask.form('And then?', ticketForm, { key: 'next' })
          deeds.push(`note ${next}`)
          return say(`released ${ticket} (${run}), next ${next}`)
        }),
      )
      server.registerTool(
        'wipe',
        env,
        tool(async ({ env }: { env: string }, ask) => {
          await ask.approval(`Wipe ${env}?`, { answer: 'page' })
          deeds.push(`wipe ${env}`)
          return say('wiped')
        }),
      )
      server.registerTool(
        'pay',
        env,
        tool(async ({ env }: { env: string }, ask) => {
          await ask.approval(`Pay for ${env}?`, { approvers: [participantOf('bob')] })
          deeds.push(`pay ${env}`)
          return say('paid')
        }),
      )
      server.registerTool(
        'name',
        env,
        approvedTool(async ({ env }: { env: string }, ask) => {
          const { ticket } = await ask.form('Which ticket?', ticketForm, { key: 'ticket' })
          deeds.push(`name ${env} ${ticket}`)
          return say(`named ${env} ${ticket}`)
        }),
      )
    },
  })
}

describe.each(clients)('a handler that asks for approval (%s)', (_, how) => {
  test('shows its words as they are, between questions of its own, and runs once', async () => {
    const { connect, deeds } = await asking()
    const client = await connect(how)
    client.answers((asked) =>
      asked.message.startsWith('Release') ? allowOnce(asked) : filled(asked, { ticket: `T${client.asked.length}` }),
    )
    expect((await client.call('release', { env: 'live' })).text).toBe('released T1 (1), next T3')
    expect(deeds).toEqual(['release T1 to live', 'note T3'])
    expect(client.asked.map(({ message }) => message)).toEqual([
      'Which ticket?',
      'Release T1 to live?\nenv: live\nThe tool itself asks for this.',
      'And then?',
    ])
    // A handler's question is about this call alone.
    expect(choicesIn(client.asked[1] as never)).toEqual(['allow_once', 'deny', 'always_deny/tool/revoked/this'])
  })

  test('goes no further after a no', async () => {
    const { connect, deeds } = await asking()
    const client = await connect(how)
    client.answers((asked) => (asked.message.startsWith('Release') ? deny(asked) : filled(asked, { ticket: 'T1' })))
    expect((await client.call('release', { env: 'live' })).outcome).toEqual({ status: 'denied', reason: 'deny' })
    expect(deeds).toEqual([])
  })

  test('waits for someone else', async () => {
    const { connect, deeds, assent } = await asking({ withLogin: true })
    const client = await connect(how, { token: 'alice' })
    const asked = nextAsked(assent)
    expect((await client.call('pay', { env: 'live' })).outcome).toMatchObject({ status: 'pending' })
    await answerOnPage(assent, await asked, participantOf('bob'))
    expect((await client.call('pay', { env: 'live' })).text).toBe('paid')
    expect({ deeds, asked: client.asked }).toEqual({ deeds: ['pay live'], asked: [] })
  })

  test('is denied where the client can be asked nothing', async () => {
    const { connect, deeds } = await asking()
    const client = await connect(how, { elicitation: undefined })
    expect((await client.call('wipe', { env: 'live' })).outcome).toEqual({ status: 'denied', reason: 'cannot-ask' })
    expect(deeds).toEqual([])
  })

  test('may be asked more in a tool that policy let run', async () => {
    const { connect, deeds } = await asking({ rules: [{ decide: 'ask', editable: ['env'] }] })
    const client = await connect(how)
    client.answers((asked) =>
      asked.message.startsWith('Run name')
        ? filled(asked, { choice: 'allow_once', edit_env: 'staging' })
        : filled(asked, { ticket: 'T1' }),
    )
    expect((await client.call('name', { env: 'live' })).text).toMatch(/^named staging T1\n.*env is now "staging"/)
    expect(deeds).toEqual(['name staging T1'])
    expect(client.asked).toHaveLength(2)
  })
})

test.each(clients.slice(1))('a handler may ask for the page (%s)', async (_, how) => {
  const { connect, deeds, assent } = await asking()
  const client = await connect(how)
  client.answers(({ url }) => {
    void getExisting(assent, idIn(url)).then((asked) => answerOnPage(assent, asked, local))
    return { action: 'accept' }
  })
  expect((await client.call('wipe', { env: 'live' })).text).toBe('wiped')
  expect(client.asked).toMatchObject([{ mode: 'url', message: 'Wipe live?' }])
  expect(deeds).toEqual(['wipe live'])
})

describe('a state that is sent twice', () => {
  const accept = (content: object) => ({ action: 'accept', content })
  const args = { env: 'live' }
  const state = ({ result }: RawReply) => result?.requestState as string
  const status = ({ result }: RawReply) => result?._meta?.['assent/outcome']

  test('releases nothing twice, at whichever question it stood', async () => {
    const { url, deeds } = await asking()
    const call = (requestState?: string, inputResponses?: Record<string, unknown>) =>
      rawCall(url, { name: 'release', arguments: args, ...(requestState && { requestState, inputResponses }) } as never)
    const first = state(await call())
    const second = state(await call(first, { ticket: accept({ ticket: 'T1' }) }))
    const yes = { sure: accept({ choice: 'allow_once' }) }
    const third = state(await call(second, yes))
    expect(deeds).toEqual(['release T1 to live'])
    // Its reply was lost: the yes is spent, and the handler that waits for the next answer is not begun again.
    expect(status(await call(second, yes))).toMatchObject({ status: 'already-run' })

    const next = { next: accept({ ticket: 'T2' }) }
    const ends = await Promise.all(Array.from({ length: 10 }, () => call(third, next)))
    expect(ends.filter((end) => status(end)?.status === 'already-run')).toHaveLength(9)
    expect(ends.filter(({ result }) => result?.isError !== true)).toHaveLength(1)
    expect(deeds).toEqual(['release T1 to live', 'note T2'])
  })

  test('runs an approved tool once, also when it asks more, and is told how that ended', async () => {
    const { url, deeds } = await asking({ rules: [{ decide: 'ask' }] })
    const call = (requestState?: string, inputResponses?: Record<string, unknown>) =>
      rawCall(url, { name: 'name', arguments: args, ...(requestState && { requestState, inputResponses }) } as never)
    const first = state(await call())
    const yes = { 'approval of the call': accept({ choice: 'allow_once' }) }
    const second = state(await call(first, yes))
    expect(status(await call(first, yes))).toEqual({ status: 'already-run', reason: 'unknown' })
    const ticket = { ticket: accept({ ticket: 'T1' }) }
    expect((await call(second, ticket)).result?.content?.[0]?.text).toBe('named live T1')
    expect(status(await call(second, ticket))).toMatchObject({ status: 'already-run' })
    expect(status(await call(first, yes))).toEqual({ status: 'already-run', reason: 'done' })
    expect(deeds).toEqual(['name live T1'])
  })

  test('asks anew when its question is kept no longer', async () => {
    const { url, deeds, assent } = await approving({ rules: [{ decide: 'ask' }] })
    const first = state(await rawCall(url, { name: 'deploy', arguments: args }))
    await assent.forget(local)
    const inputResponses = { 'approval of the call': accept({ choice: 'allow_once' }) }
    const reply = await rawCall(url, { name: 'deploy', arguments: args, requestState: first, inputResponses })
    expect(reply.result?.inputRequests).toHaveProperty(['approval of the call'])
    expect(deeds).toEqual([])
  })

  test('runs nothing twice on a lasting yes either', async () => {
    const { url, deeds } = await approving({ rules: [{ decide: 'ask' }] })
    const call = (requestState?: string, inputResponses?: Record<string, unknown>) =>
      rawCall(url, { name: 'deploy', arguments: args, ...(requestState && { requestState, inputResponses }) } as never)
    const first = state(await call())
    const yes = { 'approval of the call': accept({ choice: 'always_allow/tool/hour/this' }) }
    const replies = await Promise.all([call(first, yes), call(first, yes), call(first, yes)])
    expect(replies.filter((reply) => status(reply)?.status === 'already-run')).toHaveLength(2)
    expect(status(await call(first, yes))).toMatchObject({ status: 'already-run' })
    expect(deeds).toEqual(['deploy live'])
    await call()
    expect(deeds).toHaveLength(2)
  })

  test('counts a no that was said in the client, whatever was allowed elsewhere meanwhile', async () => {
    const { url, deeds } = await approving({ rules: [{ decide: 'ask' }] })
    const call = (env: string, requestState?: string, choice?: string) =>
      rawCall(url, {
        name: 'deploy',
        arguments: { env },
        ...(requestState && { requestState, inputResponses: { 'approval of the call': accept({ choice }) } }),
      } as never)
    const live = state(await call('live'))
    await call('test', state(await call('test')), 'always_allow/tool/hour/this')
    expect(status(await call('live', live, 'deny'))).toEqual({ status: 'denied', reason: 'deny' })
    expect(deeds).toEqual(['deploy test'])
  })
})
