import { describe, expect, test } from 'vitest'
import type { PolicySettings } from '../../src/approval/policy/policy-settings.ts'
import type { Assent } from '../../src/assent.ts'
import { asJson, type InboxItem, readClients, readInbox } from '../../src/cli/inbox/read.ts'
import { showClient } from '../../src/cli/inbox/show.ts'
import { Screen } from '../../src/client/terminal/screen.ts'
import type { ParticipantId } from '../../src/index.ts'
import { localRequester } from '../../src/participant/requester.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { aLocalCall, askedAbout } from '../support/approval/local-call.ts'
import { anAsk, branchForm } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { atInbox, say } from '../support/cli/at-inbox.ts'
import { fakeTerminal, plain } from '../support/client/fake-terminal.ts'

const policy: PolicySettings = {
  fallback: 'inbox',
  rules: [{ tool: 'write_*', decide: 'ask', editable: ['path'], reason: 'Files are kept for good.' }],
}

async function stateOf(assent: Assent, id: Parameters<Assent['get']>[0]) {
  return (await assent.get(id))?.state
}

describe('the inbox in a terminal', () => {
  test('takes no yes to what must be signed with a passkey, says where it is given, and takes a no', async () => {
    const rules = [{ decide: 'ask', answer: 'passkey' } as const]
    const assent = await anAssent({ policy: { fallback: 'inbox', rules }, publicUrl: 'http://localhost:4180' })
    const asked = await askedAbout(assent)
    const terminal = await atInbox(assent)
    await say(terminal, 'q quit', 'a')
    await say(terminal, '✗ A yes must be signed with a passkey, on the page.', 'd')
    await say(terminal, 'Reason, which', '')
    await terminal.done
    expect(terminal.text()).toContain(`http://localhost:4180/elicit/${asked.id}/approve`)
    expect(await stateOf(assent, asked.id)).toMatchObject({ kind: 'answered', by: { via: 'terminal' } })
    expect(await assent.approvals.approve({ call: aLocalCall(), walkId: 'walk-1', question: asked.id })).toMatchObject({
      kind: 'refused',
    })
  })

  test('attack: another approver changed the call; it is shown as it would run now, with who changed it', async () => {
    const bob = 'bob@https://login.example.com' as ParticipantId
    const rule = { decide: 'ask', approvers: ['local', bob, 'group:finance'], quorum: 2, editable: ['path'] } as const
    const assent = await anAssent({ policy: { fallback: 'inbox', rules: [rule] } })
    const asked = await askedAbout(assent, aLocalCall({ arguments: { path: '/tmp/harmless', content: 'x' } }))
    const edited = { choice: 'allow_once', edit_path: '/etc/shadow' }
    const atPage = { participant: bob, groups: [], via: 'page' } as const
    expect(await assent.answer(asked.id, atPage, { action: 'accept', content: edited })).toMatchObject({
      kind: 'counted',
    })
    const terminal = await atInbox(assent)
    // What is edited is what it is now, too.
    await say(terminal, 'e edit', 'e')
    await say(terminal, '1 of 1', '')
    await say(terminal, 'Nothing is changed.', 'q')
    await terminal.done
    expect(terminal.text()).toContain('path: /etc/shadow')
    expect(terminal.text()).not.toContain('/tmp/harmless')
    expect(terminal.text()).toContain('2 people must say yes.')
  })

  test('shows who asks, the call, its arguments made visible, why and for how long; and allows it once', async () => {
    const assent = await anAssent({ policy, clock: fixedClock() })
    const call = aLocalCall({ arguments: { path: '/tmp/p\u0430y', content: 'one\ntwo\u202e' } })
    const asked = await askedAbout(assent, call)
    const terminal = await atInbox(assent)
    await say(terminal, 'q quit', 'a')
    await terminal.done

    const text = terminal.text()
    expect(text).toContain('Run write_file on files?')
    expect(text).toContain('asked by   a program that calls itself Claude Code\n')
    expect(text).toContain('Files are kept for good.')
    expect(text).toContain('10 minutes')
    expect(text).toContain('path: /tmp/p‹а U+0430, not a›y')
    expect(text).toContain('│ two‹U+202E›')
    expect(text).not.toContain('\u202e')
    expect(text).toContain('✓ Your answer is saved: Allow once, with these arguments.')
    expect(await stateOf(assent, asked.id)).toMatchObject({
      kind: 'answered',
      answer: { action: 'accept', content: { choice: 'allow_once' } },
      by: { participant: 'local', via: 'terminal' },
    })
    expect(await assent.approvals.approve({ call, walkId: 'walk-1', question: asked.id })).toMatchObject({
      kind: 'approved',
    })
  })

  test('says that the session of a question has ended, to people and to scripts', async () => {
    const assent = await anAssent({ policy, clock: fixedClock() })
    const asked = await askedAbout(assent)
    const jsonNow = async () => asJson((await readInbox(assent))[0] as InboxItem)
    expect(await jsonNow()).not.toHaveProperty('sessionEndedAt')
    const session = new AbortController()
    assent.attend(asked.id, session.signal)
    session.abort()
    await expect.poll(jsonNow).toMatchObject({ sessionEndedAt: assent.clock.now().toISOString() })
    const terminal = await atInbox(assent)
    await say(terminal, 'q quit', 'q')
    await terminal.done
    expect(terminal.text()).toMatch(/The session that asked this has ended\. The same call, made\s+again, finds this/)
  })

  test('Enter alone, and what is no choice, answer nothing; skip leaves it, and quit ends', async () => {
    const assent = await anAssent({ policy })
    const first = await askedAbout(assent)
    const second = await askedAbout(assent, aLocalCall({ arguments: { path: '/other' } }), 'walk-2')
    const terminal = await atInbox(assent)
    await terminal.see('/other')
    await say(terminal, 'q quit', '')
    await say(terminal, 'You have not answered yet.', '')
    await say(terminal, 'q quit', 'yes')
    await say(terminal, 'yes is not one of the choices.', 's')
    await terminal.see('/tmp/notes.txt')
    await say(terminal, 'q quit', 'q')
    await terminal.done
    for (const { id } of [first, second]) expect(await stateOf(assent, id)).toEqual({ kind: 'open' })
  })

  test('allows for longer what the person picks from the list', async () => {
    const assent = await anAssent({ policy })
    await askedAbout(assent)
    const terminal = await atInbox(assent)
    await say(terminal, 'q quit', 'l')
    await say(terminal, 'Which?', '99')
    await say(terminal, 'is not in the list', '')
    await say(terminal, 'q quit', 'l')
    await say(terminal, 'Which?', '2')
    await terminal.done
    expect(await assent.approvals.listAll(10)).toMatchObject([
      { effect: 'allow', tool: 'write_file', client: 'claude-code', uses: { kind: 'many' } },
    ])
  })

  test('denies with a reason that the one who asks is told; denies for good', async () => {
    const assent = await anAssent({ policy })
    const call = aLocalCall()
    const asked = await askedAbout(assent, call)
    const terminal = await atInbox(assent)
    await say(terminal, 'q quit', 'd')
    await say(terminal, 'Reason, which', 'not today')
    await terminal.done
    expect(await assent.approvals.approve({ call, walkId: 'walk-1', question: asked.id })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('not today'),
    })

    await askedAbout(assent, call, 'walk-2')
    const again = await atInbox(assent)
    await say(again, 'q quit', 'n')
    await say(again, 'Which?', '1')
    await say(again, 'Reason, which', '')
    await again.done
    expect(await assent.approvals.listAll(10)).toMatchObject([{ effect: 'deny', tool: 'write_file' }])
  })

  test('edits what the rule lets it, shows the difference, and is told what the tool would not take', async () => {
    const assent = await anAssent({ policy })
    const call = aLocalCall()
    const asked = await askedAbout(assent, call)
    const terminal = await atInbox(assent)
    await say(terminal, 'e edit', 'e')
    await say(terminal, '1 of 1', 'x')
    await say(terminal, '✗ path', '/tmp/elsewhere')
    await terminal.see('path: /tmp/notes.txt → /tmp/elsewhere')
    await say(terminal, 'q quit', 'a')
    await terminal.done
    const approved = await assent.approvals.approve({ call, walkId: 'walk-1', question: asked.id })
    expect(approved).toMatchObject({
      kind: 'approved',
      call: { arguments: { path: '/tmp/elsewhere', content: 'hello' } },
      changes: [{ name: 'path', before: '/tmp/notes.txt', after: '/tmp/elsewhere' }],
    })
  })

  test('a question that is settled elsewhere leaves the screen', async () => {
    const assent = await anAssent({ policy })
    const asked = await askedAbout(assent)
    const terminal = await atInbox(assent)
    await terminal.see('q quit')
    await assent.withdrawAsObsolete(asked.id, 'policy-changed')
    await terminal.see('The question was settled elsewhere: cancelled.')
    await terminal.done
  })

  test('a list of several clients names each before its questions', async () => {
    const assent = await anAssent({ policy })
    const of = (client: string, path: string) =>
      aLocalCall({ requester: { ...localRequester, client, clientName: client }, arguments: { path } })
    await askedAbout(assent, of('One', '/1'))
    await askedAbout(assent, of('Two', '/2'), 'walk-2')
    await askedAbout(assent, of('Two', '/3'), 'walk-3')
    const { output, shown } = fakeTerminal()
    const screen = new Screen(output, { NO_COLOR: '1' })
    for (const items of await readClients(assent)) showClient(screen, items)
    showClient(screen, [])
    const named = plain(shown())
      .split(/\n+/)
      .filter((line) => line !== '')
    expect(named).toEqual([
      'Asked by a program that calls itself Two: 2 questions, the newest first',
      'Asked by a program that calls itself One: one question',
    ])
  })

  test('with --watch what comes later is shown too, until it is told to stop', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ policy, clock })
    const late = await askedAbout(assent, aLocalCall({ arguments: { path: '/late' } }))
    const rules = [{ tool: '*', decide: 'ask', expires: '1m' }]
    const { readPolicy } = await import('../support/policies.ts')
    const terminal = await atInbox(assent, { watch: true })
    await terminal.see('/late')
    await say(terminal, 'q quit', 's')
    await terminal.see('1 question skipped. Waiting for more')
    await assent.approvals.usePolicy(readPolicy({ rules }))
    await askedAbout(assent, aLocalCall({ arguments: { path: '/urgent' } }), 'walk-2')
    await terminal.see('/urgent')
    await say(terminal, 'q quit', 's')
    await terminal.see('Waiting for more')
    terminal.stop()
    await terminal.done
    expect((await assent.get(late.id))?.state.kind).toBe('withdrawn')
  })

  test('fills in a form; a secret and an account are for their pages', async () => {
    const assent = await anAssent()
    const form = await assent.ask(anAsk({ requester: localRequester }))
    const filling = await atInbox(assent)
    await say(filling, 'Branch (required)', 'main')
    await say(filling, 'Send to github?', 'send')
    await filling.done
    expect(await stateOf(assent, form.elicitation.id)).toMatchObject({ answer: { content: { branch: 'main' } } })
    expect(branchForm.required).toEqual(['branch'])

    const secret = await assent.ask(
      anAsk({
        question: { mode: 'url', message: 'Your key?', page: 'api-key' },
        purpose: 'secret',
        requester: localRequester,
      }),
    )
    const visiting = await atInbox(assent)
    await visiting.see('github asks for a secret')
    await say(visiting, 'o open its page', 'o')
    await say(visiting, 'o open its page', 'd')
    await visiting.done
    expect(visiting.opened).toEqual([assent.linkTo(secret.elicitation.id, 'api-key')])
    expect(await stateOf(assent, secret.elicitation.id)).toMatchObject({ answer: { action: 'decline' } })
  })

  test('attack: what waits for someone else is neither shown nor answered', async () => {
    const assent = await anAssent({ policy: { rules: [{ tool: '*', decide: 'ask', approvers: ['group:admins'] }] } })
    const asked = await askedAbout(assent)
    const terminal = await atInbox(assent)
    await terminal.done
    expect(terminal.text()).toBe('No question waits for you.\n')
    const { answerWith } = await import('../../src/cli/inbox/answer.ts')
    const one = { asked, link: '' }
    await expect(answerWith(assent, one, { kind: 'allow_once' })).rejects.toThrow('someone else')
    expect(await stateOf(assent, asked.id)).toEqual({ kind: 'open' })
  })
})
