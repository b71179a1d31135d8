import { describe, expect, test } from 'vitest'
import { grantIdFor } from '../../src/approval/grant/grant-from.ts'
import type { PolicySettings, RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import { approvalDigest, callDigest } from '../../src/approval/tool-call.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd, audited, refusal, say } from '../support/approval/approving.ts'
import { onPage } from '../support/asks.ts'
import { anAssent, getExisting } from '../support/assents.ts'
import { appendsLater } from '../support/audit/audits.ts'

const every = ['call-started', 'call-finished', 'call-refused', 'grant-made', 'grant-spent', 'question-answered']

describe('every decision is in the audit', () => {
  test('a call that a person approved: who, by which rule, what, and how it ended', async () => {
    const assent = await anAssent({ policy: { rules: [{ decide: 'ask', approvers: [bob] }] } })
    const { id } = await asksAnd(assent, { choice: 'allow_once' }, aCall(), onPage(bob))
    await anUpstream(assent).run(aCall(), 'walk-1', id)
    const events = await audited(assent, ...every)
    const grant = grantIdFor(id)
    expect(events.map(({ kind }) => kind)).toEqual([
      'question-answered',
      'grant-made',
      'grant-spent',
      'call-started',
      'call-finished',
    ])
    const [answered, made, spent, started, finished] = events
    expect(answered).toMatchObject({ about: id, data: { purpose: 'approval', action: 'accept', via: 'page' } })
    expect(made).toMatchObject({
      about: grant,
      data: { effect: 'allow', server: 'files', tool: 'write_file', choice: 'allow_once', elicitation: id },
    })
    expect(spent).toMatchObject({ about: grant, data: { walk: 'walk-1' } })
    expect(started).toMatchObject({ about: 'walk-1' })
    expect(started?.data).toEqual({
      server: 'files',
      tool: 'write_file',
      client: 'claude-code',
      decided: 'ask',
      rule: 1,
      ruleDigest: assent.approvals.policy.rules[0]?.digest,
      call: callDigest(aCall()),
      definition: 'definition-1',
      grant,
    })
    expect(finished).toMatchObject({ about: 'walk-1', data: { server: 'files', tool: 'write_file', outcome: 'done' } })
    // Bob approved, alice asked: two people.
    expect(made?.who).not.toBe(started?.who)
    expect(answered?.who).toBe(made?.who)
    // No arguments, unless the rule keeps them.
    expect(JSON.stringify(events)).not.toContain('/tmp/notes.txt')
    expect((await assent.verifyAudit()).findings).toEqual([])
  })

  test('one that policy allows, and one that it denies', async () => {
    const policy: PolicySettings = {
      rules: [
        { tool: 'read_*', decide: 'allow' },
        { decide: 'deny', keepArguments: true },
      ],
    }
    const assent = await anAssent({ policy })
    const upstream = anUpstream(assent)
    await upstream.run(aCall({ tool: 'read_file' }), 'walk-1')
    expect(await upstream.run(aCall(), 'walk-2')).toEqual(refusal('denied', 'policy'))
    const [started, finished, refused] = await audited(assent, ...every)
    expect(started?.data).toMatchObject({ decided: 'allow', rule: 1 })
    expect(finished?.kind).toBe('call-finished')
    expect(refused).toMatchObject({
      kind: 'call-refused',
      about: 'walk-2',
      data: { decided: 'deny', rule: 2, status: 'denied', reason: 'policy', call: callDigest(aCall()) },
      kept: { value: { arguments: aCall().arguments } },
    })
  })

  test('one that a person denied, with the question', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent, { action: 'decline' })
    await anUpstream(assent).run(aCall(), 'walk-1', id)
    const [refused] = await audited(assent, 'call-refused')
    expect(refused?.data).toMatchObject({ status: 'denied', reason: 'declined', question: id, decided: 'ask' })
  })

  test('attack: arguments are padded until the audit cannot keep them', async () => {
    const rules: RuleSettings[] = [{ decide: 'allow', keepArguments: true }]
    const assent = await anAssent({ policy: { rules } })
    const upstream = anUpstream(assent)
    const padded = aCall({ arguments: { content: 'x'.repeat(100_000) } })
    expect(await upstream.run(padded, 'walk-1')).toEqual(refusal('denied', 'too-large'))
    expect(upstream.sent).toEqual([])
    const watching = await anAssent({ policy: { mode: 'watch', rules } })
    expect((await anUpstream(watching).run(padded, 'walk-1')).kind).toBe('done')
    const [started] = await audited(watching, 'call-started')
    expect(started).toMatchObject({ data: { argumentsTooLarge: true, watched: true } })
    expect(started?.kept).toBeUndefined()
  })
})

/** A store in memory, of which a part fails as often as it is told to. */
function failing(part: (store: Store) => { fail(error: Error): void }): { store: Store; fail(): void } {
  const store = openMemoryStore()
  const broken = part(store)
  return { store, fail: () => broken.fail(new Error('The disk is full.')) }
}

function failOnce<K extends string, T extends Record<K, (...given: never[]) => Promise<unknown>>>(room: T, name: K) {
  const real = room[name].bind(room)
  let next: Error | undefined
  room[name] = ((...given: never[]) => {
    const error = next
    next = undefined
    return error === undefined ? real(...given) : Promise.reject(error)
  }) as T[K]
  return {
    fail: (error: Error) => {
      next = error
    },
  }
}

describe('whatever breaks in between', () => {
  test('an answer is kept and its grant is not: the walk that comes again keeps it', async () => {
    const { store, fail } = failing(({ grants }) => failOnce(grants, 'add'))
    const assent = await anAssent({ store })
    const asked = await asks(assent)
    fail()
    await expect(say(assent, asked, { choice: 'allow_once' })).rejects.toThrow('The disk is full.')
    expect((await assent.get(asked.id))?.state.kind).toBe('answered')
    expect(await store.grants.get(grantIdFor(asked.id))).toBeUndefined()
    expect((await anUpstream(assent).run(aCall(), 'walk-1', asked.id)).kind).toBe('done')
  })

  test('or the person who answers again', async () => {
    const { store, fail } = failing(({ grants }) => failOnce(grants, 'add'))
    const assent = await anAssent({ store })
    const asked = await asks(assent)
    const never = { choice: 'always_deny/tool/revoked/this' }
    fail()
    await expect(say(assent, asked, never)).rejects.toThrow()
    expect(await say(assent, asked, never)).toMatchObject({ kind: 'late' })
    expect(await assent.approvals.approve({ call: aCall({ arguments: {} }), walkId: 'w' })).toEqual(
      refusal('denied', 'always-denied'),
    )
  })

  test('two keep the grant at once: it is one', async () => {
    const store = openMemoryStore()
    const assent = await anAssent({ store })
    const { id } = await asksAnd(assent)
    const answered = await getExisting(assent, id)
    await store.grants.forget(alice)
    const kept = await Promise.all([assent.approvals.keepGrant(answered), assent.approvals.keepGrant(answered)])
    expect(kept[0]).toEqual(kept[1])
    expect(await store.grants.listOnce('', '')).toEqual([])
    expect(kept[0]).toMatchObject({ kind: 'yes', grant: { version: 1 } })
  })

  test('the audit cannot be written: nothing runs', async () => {
    const { store, fail } = failing(({ audit }) => failOnce(appendsLater(audit), 'append'))
    const assent = await anAssent({ store, policy: { rules: [{ tool: 'read_*', decide: 'allow' }] } })
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent)
    for (const call of [aCall({ tool: 'read_file' }), aCall()]) {
      fail()
      await expect(upstream.run(call, 'walk-1', call.tool === 'read_file' ? undefined : id)).rejects.toThrow()
    }
    expect(upstream.sent).toEqual([])
    // The yes was not spent before the audit knew, and is still good.
    expect((await upstream.run(aCall(), 'walk-1', id)).kind).toBe('done')
  })

  test('the audit fails after the spend: nothing runs, and the walk is told that nobody knows', async () => {
    const { store, fail } = failing(({ audit }) => failOnce(appendsLater(audit), 'append'))
    const assent = await anAssent({ store })
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent)
    const save = store.grants.saveIfUnchanged.bind(store.grants)
    store.grants.saveIfUnchanged = async (next) => {
      const isSaved = await save(next)
      fail()
      return isSaved
    }
    await expect(upstream.run(aCall(), 'walk-1', id)).rejects.toThrow('The disk is full.')
    expect(upstream.sent).toEqual([])
    expect(await upstream.run(aCall(), 'walk-1', id)).toEqual(refusal('already-run', 'unknown'))
  })

  test('a yes is bound to call and rule by its digest', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent)
    const uses = (await assent.store.grants.get(grantIdFor(id)))?.uses
    expect(uses).toMatchObject({ call: approvalDigest(aCall(), assent.approvals.policy.defaultDigest) })
  })
})
