import { describe, expect, test } from 'vitest'
import type { Choice } from '../../src/approval/question/choices.ts'
import { asJson, findInInbox, type InboxItem, readInbox } from '../../src/cli/inbox/read.ts'
import { confirmTogether } from '../../src/cli/inbox/several.ts'
import type { Assent, AssentOptions, ParticipantId } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { aLocalCall, askedAbout } from '../support/approval/local-call.ts'
import { anAsk } from '../support/asks.ts'
import { anAssent, getExisting } from '../support/assents.ts'
import { atInbox, say } from '../support/cli/at-inbox.ts'
import { fakeTerminal, plain } from '../support/client/fake-terminal.ts'

const bob = 'bob@https://login.example.com' as ParticipantId
const carol = 'carol@https://login.example.com' as ParticipantId

const asking = (...rules: readonly object[]) =>
  ({
    publicUrl: 'http://localhost:4180',
    policy: { fallback: 'inbox', rules: rules.map((rule) => ({ decide: 'ask', ...rule })) },
  }) as unknown as AssentOptions

/** Open questions about calls of these tools, asked for by somebody else where `by` says so. */
async function asked(assent: Assent, tools: readonly string[], by: ParticipantId = localParticipant) {
  const requester = { participant: by, client: 'claude-code' }
  const all = []
  for (const tool of tools) {
    all.push(await askedAbout(assent, aLocalCall({ tool, requester, arguments: { path: `/tmp/${tool}` } }), tool))
  }
  return all
}

const statesOf = (assent: Assent, all: readonly { readonly id: InboxItem['asked']['id'] }[]) =>
  Promise.all(all.map(async ({ id }) => (await getExisting(assent, id)).state))

/** `assent inbox allow <id> <id>…`, confirmed by what the person types. */
async function confirm(
  assent: Assent,
  ids: readonly string[],
  choice: Choice,
  typed: string,
  meanwhile = async () => {},
) {
  const items = await Promise.all(ids.map((id) => findInInbox(assent, id)))
  const terminal = fakeTerminal({ columns: 100 })
  const at = { input: terminal.input, output: terminal.output, env: { NO_COLOR: '1' } }
  const done = confirmTogether(assent, at, items as InboxItem[], { choice })
  await terminal.see('Type yes ›')
  await meanwhile()
  terminal.type(`${typed}\r`)
  return { isDone: await done, text: plain(terminal.shown()) }
}

const allow: Choice = { kind: 'allow_once' }

describe('several questions at a terminal', () => {
  test('are each shown in full, and answered on their own records when the person confirms', async () => {
    const assent = await anAssent(asking({}))
    const all = await asked(assent, ['one', 'two', 'three'])
    const ids = all.slice(0, 2).map(({ id }) => id)
    for (const typed of ['', 'y', 'no', ':skip']) {
      const { isDone, text } = await confirm(assent, ids, allow, typed)
      expect(isDone).toBe(false)
      expect(text).toContain('Nothing was answered.')
    }
    const { isDone, text } = await confirm(assent, ids, allow, 'yes')
    expect(isDone).toBe(true)
    for (const part of ['1 of 2', '/tmp/one', '2 of 2', '/tmp/two', 'Allow these 2 calls?'])
      expect(text).toContain(part)
    expect(text.match(/✓ .{8}: Your answer is saved/g)).toHaveLength(2)
    expect(await statesOf(assent, all)).toMatchObject([
      { answer: { content: { choice: 'allow_once' } }, by: { via: 'terminal' } },
      { answer: { content: { choice: 'allow_once' } }, by: { via: 'terminal' } },
      { kind: 'open' },
    ])
  })

  test('a yes leaves out what must be signed, can be edited, is no approval or offers no such answer, and says so', async () => {
    const rules = [
      { tool: 'signed', answer: 'passkey' },
      { tool: 'edited', editable: ['path'] },
      { tool: 'shared', approvers: ['local', 'group:x'], quorum: 2 },
      {},
    ]
    const assent = await anAssent(asking(...rules))
    const all = await asked(assent, ['signed', 'edited', 'plain'])
    const form = (await assent.ask(anAsk({ requester: { participant: localParticipant, client: 'x' } }))).elicitation
    const ids = [...all, form].map(({ id }) => id)
    const { isDone, text } = await confirm(assent, ids, allow, 'yes')
    expect(isDone).toBe(false)
    expect(text).toContain('Left out. A yes to it must be signed with a passkey')
    expect(text).toContain('Left out. Its arguments can be changed, so a yes to it is given on its own.')
    expect(text).toContain('Left out. It cannot be answered by yes or no. Its page:')
    expect((await statesOf(assent, all)).map(({ kind }) => kind)).toEqual(['open', 'open', 'answered'])
    // A no is given to all.
    const denied = await confirm(assent, ids.slice(0, 2), { kind: 'deny' }, 'yes')
    expect(denied).toMatchObject({ isDone: true, text: expect.stringContaining('Deny these 2 calls?') })
    const shared = await asked(assent, ['shared'], carol)
    const longer: Choice = { kind: 'always_allow', scope: 'tool', lasts: 'day', client: 'this' }
    expect(await confirm(assent, [shared[0]?.id as string], longer, 'yes')).toMatchObject({
      isDone: false,
      text: expect.stringContaining('The policy does not offer that answer for it.'),
    })
  })

  test('attack: another approver changes one, or settles it, between what was shown and the yes', async () => {
    const assent = await anAssent(
      asking({ tool: 'settled', approvers: ['local', bob] }, { approvers: ['local', bob, 'group:x'], quorum: 2 }),
    )
    const all = await asked(assent, ['settled', 'counted'], carol)
    const { isDone, text } = await confirm(
      assent,
      all.map(({ id }) => id),
      allow,
      'yes',
      async () => {
        const [settled] = all
        if (settled === undefined) throw new Error('It was asked.')
        await assent.answer(settled.id, { participant: bob, groups: [], via: 'page' }, { action: 'decline' })
      },
    )
    expect(isDone).toBe(false)
    expect(text).toContain('The question was already settled (answered), so your answer did not count.')
    expect(text).toContain('Your yes counts. 1 of 2 people said yes.')
    expect(await statesOf(assent, all)).toMatchObject([{ answer: { action: 'decline' } }, { kind: 'open' }])
    // Who voted is not asked again.
    const terminal = await atInbox(assent)
    await terminal.done
    expect(terminal.text()).not.toContain('Run counted')
  })

  test('marked one by one in the inbox, they are shown again in full and answered together', async () => {
    const assent = await anAssent(asking({}))
    const all = await asked(assent, ['one', 'two', 'three'])
    const terminal = await atInbox(assent)
    await say(terminal, 'q quit', 'm')
    await say(terminal, 'q quit', 's')
    await say(terminal, 'm mark, to answer several together', 'm')
    await terminal.see('1 of 2  Run three on files?')
    await terminal.see('2 of 2  Run one on files?')
    await say(terminal, 'q leave them open', '')
    await say(terminal, 'You have not answered yet.', 'x')
    await say(terminal, 'x is not one of the choices.', 'd')
    await terminal.done
    expect(await statesOf(assent, all)).toMatchObject([
      { answer: { content: { choice: 'deny' } } },
      { kind: 'open' },
      { answer: { content: { choice: 'deny' } } },
    ])
  })

  test('marked and left, they stay open; what was settled meanwhile is named', async () => {
    const assent = await anAssent(asking({}))
    const [one, two] = await asked(assent, ['one', 'two'])
    const terminal = await atInbox(assent)
    await say(terminal, 'q quit', 'm')
    await terminal.see('q quit')
    if (one === undefined || two === undefined) throw new Error('They were asked.')
    await assent.answer(two.id, { participant: localParticipant, groups: [], via: 'page' }, { action: 'decline' })
    terminal.type('m\r')
    await terminal.see('1 of the marked were settled elsewhere.')
    await say(terminal, 'q leave them open', 'q')
    await terminal.done
    expect(await statesOf(assent, [one])).toEqual([{ kind: 'open' }])
  })
})

describe('handing on at a terminal', () => {
  test('says to whom it can go, why a name is refused, and hands it on', async () => {
    const assent = await anAssent(asking({ approvers: ['local'], delegate: [bob, 'group:leads'], priority: 'urgent' }))
    const [one] = await asked(assent, ['one'], carol)
    if (one === undefined) throw new Error('It was asked.')
    const terminal = await atInbox(assent)
    await say(terminal, 'h hand on…', 'h')
    await terminal.see(`It can be handed to ${bob}, group:leads.`)
    await say(terminal, 'To whom', '')
    await say(terminal, 'q quit', 'h')
    await say(terminal, 'To whom', carol)
    await terminal.see('nor to an agent that acts for them')
    await say(terminal, 'To whom', 'group:leads')
    await terminal.done
    expect(terminal.text()).toContain('priority   urgent')
    expect(terminal.text()).toContain('It was handed on to group:leads. It is not yours to answer any more.')
    const { voting } = await getExisting(assent, one.id)
    expect(voting?.delegations).toMatchObject([{ from: localParticipant, to: 'group:leads', via: 'terminal' }])
  })

  test('scripts read the priority, who voted, who is missing and the chain', async () => {
    const assent = await anAssent(
      asking({ approvers: ['local', 'group:finance'], quorum: 2, delegate: true, priority: 'high' }),
    )
    const [one] = await asked(assent, ['one'], carol)
    if (one === undefined) throw new Error('It was asked.')
    const finance = (who: ParticipantId) => ({ participant: who, groups: ['finance'], via: 'page' }) as const
    await assent.answer(one.id, finance(bob), { action: 'accept', content: { choice: 'allow_once' } })
    const [item] = await readInbox(assent)
    expect(item && asJson(item)).toMatchObject({
      priority: 'high',
      quorum: 2,
      missing: 1,
      voting: { votes: [{ by: bob, choice: 'allow_once', via: 'page' }], delegations: [], escalations: [] },
    })
  })
})
