import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { asksAnd, audited, refusal } from '../support/approval/approving.ts'
import { anAssent } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const kinds = ['call-started', 'call-finished', 'call-refused'] as const

describe('deciding and starting in one breath', () => {
  test('a call that policy allows runs, is on record before it does, and its end soon after', async () => {
    const assent = await anAssent({ policy: { default: 'allow' } })
    const begun = await assent.approvals.begin({ call: aCall(), walkId: 'walk-1' })
    expect(begun).toMatchObject({ kind: 'begun', call: aCall() })
    expect(await audited(assent, ...kinds)).toMatchObject([{ kind: 'call-started', about: 'walk-1' }])
    await assent.approvals.finishSoon({ call: aCall(), walkId: 'walk-1', outcome: 'failed' })
    expect(await audited(assent, 'call-finished')).toMatchObject([
      { about: 'walk-1', data: { server: 'files', tool: 'write_file', outcome: 'failed' } },
    ])
  })

  test('what is denied, paused or to be asked about does not start', async () => {
    const assent = await anAssent({ policy: { rules: [{ tool: 'rm', decide: 'deny' }] } })
    const begin = (tool: string) => assent.approvals.begin({ call: aCall({ tool }), walkId: tool })
    expect(await begin('rm')).toEqual(refusal('denied', 'policy'))
    expect((await begin('write')).kind).toBe('question')
    await assent.approvals.pause(alice)
    expect(await begin('write')).toEqual(refusal('denied', 'paused'))
    expect((await audited(assent, ...kinds)).map(({ kind }) => kind)).toEqual(['call-refused', 'call-refused'])
  })

  test('a policy that changes in between decides', async () => {
    const store = openMemoryStore()
    const assent = await anAssent({ store, policy: { default: 'allow' } })
    const { listFor } = store.grants
    let isChanged = false
    store.grants.listFor = async (...asked) => {
      if (!isChanged) await assent.approvals.usePolicy(readPolicy({ default: 'deny' }))
      isChanged = true
      return listFor(...asked)
    }
    const { policy } = assent.approvals
    const decided = { policy, decision: decide(policy, aCall()) }
    expect(await assent.approvals.begin({ call: aCall(), walkId: 'w', decided })).toEqual(refusal('denied', 'policy'))
    expect((await audited(assent, ...kinds)).map(({ kind }) => kind)).toEqual(['call-refused'])
  })

  test("what a person's yes allows is approved and not started: a yes is looked at when it is used", async () => {
    const assent = await anAssent()
    await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' })
    expect(await assent.approvals.begin({ call: aCall(), walkId: 'walk-2' })).toMatchObject({ kind: 'approved' })
    expect(await audited(assent, 'call-started')).toEqual([])
  })
})
