import { inputRequired } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import { type Answers, connect06, connect11, connect26, everyClient } from '../support/asking/asking-clients.ts'
import { getExisting } from '../support/assents.ts'
import { callsIn } from '../support/gateway/audited-calls.ts'
import { allowOnce, answerOnPage, approving, choicesIn, deny, filled, idIn } from '../support/server/approving.ts'
import { local, localPage, nextAsked, participantOf, promised, say, until } from '../support/server/servers.ts'

const all = everyClient.filter(({ name }) => name !== 'SDK 2.4 auto').map((client) => [client.name, client] as const)
const withPages = all.filter(([, { revision }]) => revision !== '2025-06-18')
const toInbox: RuleSettings[] = [{ decide: 'ask', answer: 'inbox' }]
const askAll: RuleSettings[] = [{ decide: 'ask', reason: 'Deploys go live at once.' }]
const me = { participant: local, groups: [] }

describe.each(all)('a tool that policy decides about (%s)', (_, { connect: how }) => {
  test('runs unasked where a rule allows it', async () => {
    const { connect, deeds } = await approving({ rules: [{ tool: 'deploy', decide: 'allow' }] })
    const client = await connect(how)
    expect((await client.call('deploy', { env: 'test' })).text).toBe('deployed test')
    expect({ asked: client.asked, deeds }).toEqual({ asked: [], deeds: ['deploy test'] })
  })

  test('tells the model when a rule denies it, also a tool with an output schema', async () => {
    const { connect, deeds } = await approving({ rules: [{ decide: 'deny', reason: 'Not on Fridays.' }] })
    const client = await connect(how)
    // A client that knows the tools checks what they give against their output schemas.
    await client.listTools()
    const denied = { isError: true, outcome: { status: 'denied', reason: 'policy' } }
    const plain = await client.call('deploy', { env: 'test' })
    expect(plain).toMatchObject(denied)
    expect(plain.structuredContent).toBeUndefined()
    expect(plain.text).toContain('Not on Fridays.')
    const typed = await client.call('charge', { amount: 5 })
    expect(typed).toMatchObject(denied)
    expect(typed.structuredContent).toBeUndefined()
    expect(deeds).toEqual([])
  })

  test('asks by a form with the choices alone, shows the call, and runs it after allow_once', async () => {
    const { connect, deeds, assent } = await approving({ rules: askAll })
    const client = await connect(how)
    client.answers(allowOnce)
    expect((await client.call('deploy', { env: 'test', note: 'hot fix' })).text).toBe('deployed test')
    const [asked, ...more] = client.asked
    expect(more).toEqual([])
    expect(asked?.message).toBe('Run deploy on tested?\nenv: test\nnote: hot fix\nDeploys go live at once.')
    expect(Object.keys(asked?.requestedSchema?.properties ?? {})).toEqual(['choice'])
    expect(asked?.requestedSchema?.required).toEqual(['choice'])
    expect(choicesIn(asked as never)).toEqual([
      'allow_once',
      'always_allow/tool/hour/this',
      'always_allow/tool/day/this',
      'always_allow/tool/revoked/this',
      'always_allow/tool/revoked/all',
      'always_allow/server/hour/this',
      'deny',
      'always_deny/tool/revoked/this',
    ])
    expect(deeds).toEqual(['deploy test: hot fix'])
    expect(await assent.listOpen(me, 10)).toEqual([])

    // Once is once.
    client.answers(deny)
    expect(await client.call('deploy', { env: 'test', note: 'hot fix' })).toMatchObject({ isError: true })
    expect(client.asked).toHaveLength(2)
    expect(deeds).toHaveLength(1)
  })

  test.each([
    ['deny', deny, { status: 'denied', reason: 'deny' }],
    ['decline', () => ({ action: 'decline' }), { status: 'denied', reason: 'declined' }],
    ['cancel', () => ({ action: 'cancel' }), { status: 'cancelled', reason: 'cancelled' }],
  ] as const)('does not run after %s, and the model is told', async (_, answers, outcome) => {
    const { connect, deeds } = await approving({ rules: askAll })
    const client = await connect(how)
    await client.listTools()
    client.answers(answers as Answers)
    expect(await client.call('deploy', { env: 'test' })).toMatchObject({
      isError: true,
      outcome,
    })
    const typed = await client.call('charge', { amount: 5 })
    expect(typed).toMatchObject({ isError: true, outcome })
    expect(typed.structuredContent).toBeUndefined()
    expect(deeds).toEqual([])
  })

  test('tells the requester who said yes, by which way, and why', async () => {
    const { connect, assent } = await approving({ rules: toInbox, clocks: { hold: '2m' } })
    const client = await connect(how)
    const asking = nextAsked(assent)
    const calling = client.call('deploy', { env: 'test' })
    const reason = 'Fixes the\u202eoutage'
    await answerOnPage(assent, await asking, local, { choice: 'allow_once', reason })
    const { text, meta } = await calling
    expect(text).toBe("deployed test\nThe approver's reason: Fixes the‹U+202E›outage")
    expect(meta?.['assent/approval']).toEqual({
      approvedBy: local,
      approvedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      via: 'page',
      reason,
    })
  })

  test('says why the person said no', async () => {
    const { connect, assent } = await approving({ rules: toInbox, clocks: { hold: '2m' } })
    const client = await connect(how)
    const asking = nextAsked(assent)
    const calling = client.call('deploy', { env: 'test' })
    await answerOnPage(assent, await asking, local, { choice: 'deny', reason: 'Wait for the tests.' })
    expect((await calling).text).toBe(
      'The person said no. Their reason: Wait for the tests.\nNothing ran. Do not try again unless they ask for it.',
    )
  })

  test('asks no more after always_allow, and never again after always_deny', async () => {
    const { connect, deeds } = await approving({ rules: askAll })
    const client = await connect(how)
    client.answers((asked) => filled(asked, { choice: 'always_allow/tool/hour/this' }))
    await client.call('deploy', { env: 'test' })
    await client.call('deploy', { env: 'live' })
    expect({ asked: client.asked.length, deeds }).toEqual({ asked: 1, deeds: ['deploy test', 'deploy live'] })

    client.answers((asked) => filled(asked, { choice: 'always_deny/tool/revoked/this' }))
    await client.call('charge', { amount: 1 })
    const { outcome } = await client.call('charge', { amount: 2 })
    expect(outcome).toEqual({ status: 'denied', reason: 'always-denied' })
    expect(client.asked).toHaveLength(2)
  })

  test('runs what the approver edited, and tells the requester', async () => {
    const { connect, deeds } = await approving({ rules: [{ decide: 'ask', editable: ['env'] }] })
    const client = await connect(how)
    client.answers((asked) => filled(asked, { choice: 'allow_once', edit_env: 'staging' }))
    const { text, isError } = await client.call('deploy', { env: 'live', note: 'v2' })
    expect(isError).toBe(false)
    expect(text).toBe('deployed staging\nThe approver changed the arguments before this ran: env is now "staging".')
    expect(deeds).toEqual(['deploy staging: v2'])
    expect(Object.keys(client.asked[0]?.requestedSchema?.properties ?? {})).toContain('edit_env')
  })

  test('leaves alone what the approver leaves alone', async () => {
    const { connect, deeds } = await approving({ rules: [{ decide: 'ask', editable: ['env'] }] })
    const client = await connect(how)
    client.answers(allowOnce)
    expect((await client.call('deploy', { env: 'live' })).text).toBe('deployed live')
    expect({ asked: client.asked.length, deeds }).toEqual({ asked: 1, deeds: ['deploy live'] })
  })

  test('asks again when an edit does not fit the tool, and ends after three', async () => {
    const { connect, deeds } = await approving({ rules: [{ decide: 'ask', editable: ['env'] }] })
    const client = await connect(how)
    // Too short for the tool; and a lasting yes would not keep the edit.
    const tries = [
      { choice: 'allow_once', edit_env: 'x' },
      { choice: 'always_allow/tool/hour/this', edit_env: 'staging' },
      { choice: 'allow_once', edit_env: 'staging' },
    ]
    client.answers((asked) => filled(asked, tries.shift() as { choice: string }))
    expect((await client.call('deploy', { env: 'live' })).text).toMatch(/^deployed staging/)
    expect(client.asked).toHaveLength(3)
    expect(client.asked[1]?.message).toMatch(/^.+\nRun deploy on tested\?/)

    client.answers((asked) => filled(asked, { choice: 'allow_once', edit_env: 'x' }))
    expect((await client.call('deploy', { env: 'live' })).outcome).toMatchObject({ status: 'invalid' })
    expect(deeds).toEqual(['deploy staging'])
  })

  test('takes a no for a no, whatever else its form asks for', async () => {
    const { connect, deeds } = await approving({ rules: [{ decide: 'ask', editable: ['env'] }] })
    const client = await connect(how)
    client.answers(() => ({ action: 'accept', content: { choice: 'deny' } }))
    const { outcome } = await client.call('deploy', { env: 'live' })
    expect({ outcome, asked: client.asked.length, deeds }).toEqual({
      outcome: { status: 'denied', reason: 'deny' },
      asked: 1,
      deeds: [],
    })
  })

  test('takes no choice that its form did not offer', async () => {
    const { connect, deeds, assent } = await approving({ rules: askAll })
    const client = await connect(how)
    client.answers((asked) => filled(asked, { choice: 'always_allow/server/revoked/all' }))
    expect((await client.call('deploy', { env: 'live' })).outcome).toMatchObject({ status: 'invalid' })
    expect(deeds).toEqual([])
    expect(await assent.approvals.list(local, 10)).toEqual([])
  })
})

describe.each(withPages)('an approval on its page (%s)', (_, { connect: how, revision }) => {
  test.each<[string, RuleSettings[], { env: string; note?: string }]>([
    ['where the rule says so', [{ decide: 'ask', answer: 'page' }], { env: 'live' }],
    ['where an argument hides a character', askAll, { env: 'li\u202eve' }],
    ['where an argument passes for another', askAll, { env: 'liv\u0435' }],
    ['where the arguments are too long for a form', askAll, { env: 'live', note: 'n'.repeat(4_000) }],
  ])('is asked for by url %s, and the call goes on after it', async (_, rules, args) => {
    const { connect, deeds, assent } = await approving({ rules, clocks: { hold: '2m' } })
    const client = await connect(how)
    client.answers(({ url }) => {
      const id = idIn(url)
      setTimeout(async () => answerOnPage(assent, await getExisting(assent, id), local), 20)
      return { action: 'accept' }
    })
    expect((await client.call('deploy', args)).isError).toBe(false)
    expect(client.asked).toMatchObject([{ mode: 'url', message: 'Run deploy on tested?' }])
    expect(client.asked[0]?.url).toMatch(/^http.*\/elicit\/[\w-]+\/approve$/)
    expect(deeds).toHaveLength(1)
    if (revision === '2025-11-25') await until(() => client.completed.length === 1)
  })

  test('is not given by agreeing to open the page', async () => {
    const { connect, deeds, assent } = await approving({ rules: [{ decide: 'ask', answer: 'page' }] })
    const client = await connect(how)
    const opened = promised<string | undefined>()
    client.answers(({ url }) => {
      opened.keep(url)
      return { action: 'accept', content: { choice: 'allow_once' } }
    })
    const call = client.call('deploy', { env: 'live' })
    const id = idIn(await opened.promise)
    // Held, retried and held again, with nobody on the page.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await assent.get(id))?.state.kind).toBe('open')
    expect(deeds).toEqual([])
    await answerOnPage(assent, await getExisting(assent, id), local, { choice: 'deny' })
    expect((await call).outcome).toMatchObject({ status: 'denied' })
    expect(client.asked).toHaveLength(1)
    expect(deeds).toEqual([])
  })

  test.each(['decline', 'cancel'] as const)('still waits when the client says %s to opening it', async (action) => {
    const { connect, deeds, assent } = await approving({ rules: [{ decide: 'ask', answer: 'page' }] })
    const client = await connect(how)
    client.answers(() => ({ action }))
    const { outcome } = await client.call('deploy', { env: 'live' })
    expect(outcome).toEqual({ status: 'pending', reason: 'waiting-for-approval' })
    expect(deeds).toEqual([])
    expect(await assent.listOpen(me, 10)).toHaveLength(1)
  })

  test('edits there what is not flat', async () => {
    const { connect, deeds, assent } = await approving({
      rules: [{ decide: 'ask', answer: 'page', editable: ['env'] }],
    })
    const client = await connect(how)
    client.answers(({ url }) => {
      const id = idIn(url)
      setTimeout(
        async () =>
          answerOnPage(assent, await getExisting(assent, id), local, { choice: 'allow_once', edit_env: 'staging' }),
        20,
      )
      return { action: 'accept' }
    })
    expect((await client.call('deploy', { env: 'live' })).text).toContain('env is now "staging"')
    expect(deeds).toEqual(['deploy staging'])
  })
})

describe.each(all)('an approval that is someone else’s to give (%s)', (_, { connect: how }) => {
  const rules: RuleSettings[] = [{ decide: 'ask', approvers: [participantOf('bob')] }]

  test('is never shown to the requester; the call waits a while, then says who, where and until when', async () => {
    const { connect, deeds, assent, fallbacks } = await approving({ rules, withLogin: true })
    const client = await connect(how, { token: 'alice' })
    const asking = nextAsked(assent)
    const progress: number[] = []
    const pending = await client.call('deploy', { env: 'live' }, { onprogress: (p) => progress.push(p.progress) })
    const asked = await asking
    expect(pending).toMatchObject({
      isError: true,
      outcome: { status: 'pending', reason: 'waiting-for-approval' },
    })
    const link = assent.linkTo(asked.id, 'approve')
    const until = asked.expiresAt.toISOString().replace(/\.\d+/, '')
    for (const word of [participantOf('bob'), `Tell the person this link: ${link}`, `open until ${until}`])
      expect(pending.text).toContain(word)
    expect(pending.meta?.['assent/question']).toEqual({ id: asked.id, link, expiresAt: asked.expiresAt.toISOString() })
    expect(progress).toEqual([1])
    expect(client.asked).toEqual([])
    expect(fallbacks).toEqual(['approver-elsewhere'])
    expect(deeds).toEqual([])

    // It is still the same question, and after the yes the same call runs without another.
    await client.call('deploy', { env: 'live' })
    await answerOnPage(assent, asked, participantOf('bob'))
    expect((await client.call('deploy', { env: 'live' })).text).toBe('deployed live')
    expect(deeds).toEqual(['deploy live'])
    expect((await client.call('deploy', { env: 'live' })).outcome).toMatchObject({ status: 'pending' })
    expect(deeds).toEqual(['deploy live'])
    expect(client.asked).toEqual([])
  })

  test('goes on in the same call when the answer comes while it is held', async () => {
    const { connect, deeds, assent } = await approving({ rules, withLogin: true, clocks: { hold: '2m' } })
    const client = await connect(how, { token: 'alice' })
    const asking = nextAsked(assent)
    const call = client.call('deploy', { env: 'live' })
    await answerOnPage(assent, await asking, participantOf('bob'))
    expect((await call).text).toBe('deployed live')

    const again = nextAsked(assent)
    const refused = client.call('deploy', { env: 'live' })
    await assent.answer(
      (await again).id,
      { ...localPage, participant: participantOf('bob') },
      {
        action: 'decline',
        reason: 'Not today.',
      },
    )
    expect(await refused).toMatchObject({
      outcome: { status: 'denied', reason: 'declined' },
      text: 'The person said no. Their reason: Not today.\nNothing ran. Do not try again unless they ask for it.',
    })
    expect(deeds).toEqual(['deploy live'])
  })
})

describe.each(all)('a client that can be asked nothing (%s)', (_, { connect: how }) => {
  test('waits in the inbox where the policy says so, and runs after the yes', async () => {
    const { connect, deeds, assent, fallbacks } = await approving({ rules: askAll, policy: { fallback: 'inbox' } })
    const client = await connect(how, { elicitation: undefined })
    const asking = nextAsked(assent)
    const { outcome, text } = await client.call('deploy', { env: 'live' })
    expect(outcome).toEqual({ status: 'pending', reason: 'waiting-for-approval' })
    expect(text).toContain('the person who uses this client')
    await answerOnPage(assent, await asking, local)
    expect((await client.call('deploy', { env: 'live' })).text).toBe('deployed live')
    expect({ deeds, fallbacks }).toEqual({ deeds: ['deploy live'], fallbacks: ['approval-unaskable'] })
  })

  test('is denied by default, and nobody is left a question', async () => {
    const { connect, deeds, assent } = await approving({ rules: askAll })
    const client = await connect(how, { elicitation: undefined })
    expect(await client.call('deploy', { env: 'live' })).toMatchObject({
      isError: true,
      outcome: { status: 'denied', reason: 'cannot-ask' },
    })
    expect(deeds).toEqual([])
    expect(await assent.listOpen(me, 10)).toEqual([])
  })

  test('runs where the rule allows that, and the audit says so', async () => {
    const { connect, deeds, assent } = await approving({ rules: [{ decide: 'ask', fallback: 'allow' }] })
    const client = await connect(how, { elicitation: undefined })
    expect((await client.call('deploy', { env: 'live' })).text).toBe('deployed live')
    expect(deeds).toEqual(['deploy live'])
    let audit = ''
    for await (const line of assent.exportAudit()) audit += line
    expect(audit).toContain('allowed-unasked')
  })
})

describe('a client that cannot do what it said', () => {
  test('is told to wait where the policy says so, and is not asked for ever', async () => {
    const { connect, deeds, fallbacks } = await approving({ rules: askAll, policy: { fallback: 'inbox' } })
    const client = await connect(connect11, { elicitation: { form: {} } })
    client.answers(() => {
      throw new Error('no room for forms')
    })
    expect((await client.call('deploy', { env: 'live' })).outcome).toMatchObject({ status: 'pending' })
    expect({ asked: client.asked.length, fallbacks, deeds }).toEqual({ asked: 1, fallbacks: ['unanswered'], deeds: [] })
  })

  test('is sent to the page where it can do that', async () => {
    const { connect, deeds, assent } = await approving({ rules: askAll })
    const client = await connect(connect11)
    client.answers(({ mode, url }) => {
      if (mode === 'form') throw new Error('no room for forms')
      void getExisting(assent, idIn(url)).then((asked) => answerOnPage(assent, asked, local))
      return { action: 'accept' }
    })
    expect((await client.call('deploy', { env: 'live' })).text).toBe('deployed live')
    expect({ modes: client.asked.map(({ mode }) => mode), deeds }).toEqual({
      modes: ['form', 'url'],
      deeds: ['deploy live'],
    })
  })

  test('is denied by default, and its question is taken back', async () => {
    const { connect, deeds, assent } = await approving({ rules: [{ decide: 'ask', fallback: 'allow' }] })
    const client = await connect(connect06)
    client.answers(() => {
      throw new Error('no room for forms')
    })
    expect((await client.call('deploy', { env: 'live' })).outcome).toEqual({ status: 'denied', reason: 'cannot-ask' })
    expect(await assent.listOpen(me, 10)).toEqual([])
    expect(deeds).toEqual([])
  })
})

test('by -32042 the person is sent to the page, and the same call then runs', async () => {
  const rules: RuleSettings[] = [{ decide: 'ask', answer: 'page' }]
  const { connect, deeds, assent } = await approving({ rules, urlBy: 'error' })
  const client = await connect(connect11)
  const error = await client.call('deploy', { env: 'live' }).catch((error) => error)
  expect(error).toMatchObject({ code: -32_042 })
  await answerOnPage(assent, await getExisting(assent, idIn(error.data.elicitations[0].url)), local)
  expect((await client.call('deploy', { env: 'live' })).text).toBe('deployed live')
  expect(deeds).toEqual(['deploy live'])
})

test('whoever may approve in a group is sent to the page, and others of it may answer too', async () => {
  const { connect, assent } = await approving({ rules: [{ decide: 'ask', approvers: ['group:ops'] }] })
  const client = await connect(connect26)
  const asking = nextAsked(assent)
  const { text } = await client.call('deploy', { env: 'live' })
  expect(text).toContain('anyone in ops')
  await answerOnPage(assent, await asking, { ...localPage, groups: ['ops'] })
  expect((await client.call('deploy', { env: 'live' })).text).toBe('deployed live')
})

test('a tool that its author changes while it is served is asked about again', async () => {
  let change: (updates: { name?: string; description?: string }) => void = () => {}
  const { connect, deeds } = await approving({
    rules: askAll,
    more: (server, { approvedTool }, deeds) => {
      const wipe = server.registerTool(
        'wipe',
        { description: 'Wipes a copy.', inputSchema: z.object({}) },
        approvedTool(() => {
          deeds.push('wiped')
          return say('wiped')
        }),
      )
      change = (updates) => wipe.update(updates)
    },
  })
  const client = await connect(connect11)
  client.answers((asked) => filled(asked, { choice: 'always_allow/tool/hour/this' }))
  await client.call('wipe')
  await client.call('wipe')
  expect(client.asked).toHaveLength(1)
  change({ description: 'Wipes the original.' })
  client.answers(deny)
  await client.call('wipe')
  expect(client.asked).toHaveLength(2)
  expect(deeds).toEqual(['wiped', 'wiped'])

  // Also under another name.
  change({ name: 'erase' })
  client.answers((asked) => filled(asked, { choice: 'always_allow/tool/hour/this' }))
  await client.call('erase')
  change({ description: 'Erases all there is.' })
  client.answers(deny)
  await client.call('erase')
  expect({ asked: client.asked.length, deeds: deeds.length }).toEqual({ asked: 4, deeds: 3 })
})

test('an approved tool that asks by a result of its own (2026) is started once and finished once', async () => {
  const { connect, assent, deeds } = await approving({
    rules: askAll,
    more: (server, { approvedTool }, did) =>
      server.registerTool(
        'own',
        {},
        approvedTool(async (_args: unknown, _ask, { mcpReq }) => {
          const given = mcpReq.inputResponses?.q as { content: { a: string } } | undefined
          if (given === undefined) {
            const requestedSchema = { type: 'object', properties: { a: { type: 'string' } } } as const
            return inputRequired({ inputRequests: { q: inputRequired.elicit({ message: 'Q?', requestedSchema }) } })
          }
          did.push(given.content.a)
          return say(given.content.a)
        }),
      ),
  })
  const client = await connect(connect26)
  client.answers((asked) => (asked.message === 'Q?' ? { action: 'accept', content: { a: 'x' } } : allowOnce(asked)))
  expect((await client.call('own')).text).toBe('x')
  expect(client.asked).toHaveLength(2)
  expect(deeds).toEqual(['x'])
  expect(await callsIn(assent)).toEqual([['call-started', 'call-finished done']])
})

describe.each(all.filter(([, { revision }]) => revision !== '2026-07-28'))(
  'a call that its client gives up (%s)',
  (_, { connect: how }) => {
    test('leaves its approval open: the same call finds it, or its answer', async () => {
      const { connect, deeds, assent } = await approving({ rules: askAll })
      const client = await connect(how)
      const shown = promised()
      client.answers((_asked, signal) => {
        shown.keep()
        return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('closed'))))
      })
      const { wait } = assent
      const ended = promised()
      assent.wait = (id, options) => {
        options?.signal?.addEventListener('abort', () => ended.keep())
        return wait(id, options)
      }
      const away = new AbortController()
      const calling = expect(client.call('deploy', { env: 'live' }, { signal: away.signal })).rejects.toThrow()
      await shown.promise
      away.abort()
      await calling
      // Until the server has heard of it, a yes would still run the first call.
      await ended.promise
      const [asked] = await assent.listOpen(me, 10)
      if (asked === undefined) throw new Error('It was to stay open.')
      await answerOnPage(assent, asked, localPage)
      expect((await client.call('deploy', { env: 'live' })).text).toContain('deployed live')
      expect(deeds).toEqual(['deploy live'])
      expect(client.asked).toHaveLength(1)
    })

    test('is taken back when the requester says so, by nobody else', async () => {
      const { connect, assent } = await approving({ rules: [{ decide: 'ask', answer: 'inbox' }] })
      const client = await connect(how)
      await client.call('deploy', { env: 'live' })
      const [asked] = await assent.listOpen(me, 10)
      const withdrawn = await client.request('elicitation/withdraw', { elicitationId: asked?.id })
      expect(withdrawn).toMatchObject({ status: 'cancelled' })
      expect(await assent.listOpen(me, 10)).toEqual([])
      await expect(client.request('elicitation/withdraw', { elicitationId: 'nobody-s' })).rejects.toThrow('Unknown')
    })
  },
)
