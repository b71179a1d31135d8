import { expect, test } from 'vitest'
import { compare } from '../../src/approval/replay/compare.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { anUpstream } from '../support/approval/approving.ts'
import { anAssent } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

test('a draft is compared with what was decided: what changes, how often, and what cannot be told', async () => {
  const assent = await anAssent({ policy: { default: 'allow' } })
  const upstream = anUpstream(assent)
  await upstream.run(aCall({ tool: 'read_file' }), 'w1')
  await upstream.run(aCall({ tool: 'write_file' }), 'w2')
  await upstream.run(aCall({ tool: 'write_file' }), 'w3')
  await upstream.run(aCall({ tool: 'move_file' }), 'w4')
  const draft = readPolicy({
    default: 'allow',
    rules: [
      { tool: 'write_file', requester: alice, decide: 'deny' },
      { tool: 'move_file', when: "args.path.startsWith('/etc')", decide: 'deny' },
    ],
  })
  const compared = await compare(assent.store.audit, draft, () => false, new Date(0))
  expect(compared.calls).toBe(4)
  expect(compared.counts.allow).toEqual({ allow: 1, ask: 0, deny: 2, unknown: 1 })
  expect(compared.lacks.arguments).toBe(1)
  expect(compared.changes).toEqual([
    { server: 'files', tool: 'write_file', was: 'allow', now: 'deny', calls: 2 },
    { server: 'files', tool: 'move_file', was: 'allow', now: 'unknown', calls: 1 },
  ])
})

test('attack: a long replay of one page of the audit lets other work go on', async () => {
  const assent = await anAssent({ policy: { default: 'allow' } })
  const upstream = anUpstream(assent)
  for (let call = 0; call < 120; call += 1) await upstream.run(aCall({ tool: 'read_file' }), `w${call}`)
  let turns = 0
  let isOver = false
  const others = () => {
    turns += 1
    if (!isOver) setImmediate(others)
  }
  const { chains, findPseudonym, read } = assent.store.audit
  let began = 0
  const audit = {
    chains,
    findPseudonym,
    async read(...place: Parameters<typeof read>) {
      const page = await read(...place)
      if (began === 0) setImmediate(others)
      began += 1
      return page
    },
  }
  await compare(audit, readPolicy({ default: 'deny' }), () => false, new Date(0))
  isOver = true
  expect(turns).toBeGreaterThan(began + 3)
})
