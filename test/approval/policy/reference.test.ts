import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explain } from '../../../src/approval/policy/explain.ts'
import type { ToolCall } from '../../../src/approval/tool-call.ts'
import type { ParticipantId } from '../../../src/participant/participant.ts'
import { alice, bob } from '../../support/approval/a-call.ts'
import { readPolicy } from '../../support/policies.ts'

type Word = 'allow' | 'ask' | 'deny'
interface PlainRule {
  server?: string
  tool?: string
  requester?: string
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
  when?: string
  decide: Word
}

/** What each expression means, said once more in another language; undefined: it throws. */
const meanings: Record<string, (call: ToolCall) => boolean | undefined> = {
  "args.path.startsWith('/etc')": ({ arguments: { path } }) =>
    typeof path === 'string' ? path.startsWith('/etc') : undefined,
  'has(args.amount) && args.amount > 100': ({ arguments: { amount } }) =>
    amount === undefined ? false : typeof amount === 'number' ? amount > 100 : undefined,
  'annotations.readOnlyHint': ({ annotations }) => annotations?.readOnlyHint === true,
  "'admins' in requester.groups": ({ groups }) => groups?.includes('admins') ?? false,
  'args.amount > 1000': ({ arguments: { amount } }) => (typeof amount === 'number' ? amount > 1_000 : undefined),
}

/** The language in the plainest way: every word of the documentation, one after the other, with no care for speed. */
function reference(rules: PlainRule[], byDefault: Word, call: ToolCall): { word: Word; rule: number | undefined } {
  const [rule, ...others] = rules
  if (rule === undefined) return { word: byDefault, rule: undefined }
  const next = () => {
    const rest = reference(others, byDefault, call)
    return { word: rest.word, rule: rest.rule === undefined ? undefined : rest.rule + 1 }
  }

  if (rule.server !== undefined && !like(rule.server, call.server)) return next()
  if (rule.tool !== undefined && !like(rule.tool, call.tool)) return next()
  const names = [call.requester.participant, `client:${call.requester.client}`]
  for (const group of call.groups ?? []) names.push(`group:${group}`)
  if (rule.requester !== undefined && !names.includes(rule.requester)) return next()
  const { readOnlyHint = false, destructiveHint = true } = (call.annotations ?? {}) as Record<string, boolean>
  if (rule.annotations?.readOnlyHint !== undefined && rule.annotations.readOnlyHint !== readOnlyHint) return next()
  if (rule.annotations?.destructiveHint !== undefined && rule.annotations.destructiveHint !== destructiveHint) {
    return next()
  }
  const holds = rule.when === undefined ? true : meanings[rule.when]?.(call)
  if (holds === false) return next()

  const word = holds === undefined && rule.decide === 'allow' ? 'ask' : rule.decide
  const isHearsay = rule.annotations !== undefined || rule.when?.includes('annotations') === true
  if (!isHearsay || call.trusted) return { word, rule: 1 }
  const rest = next()
  const severity = { allow: 0, ask: 1, deny: 2 }
  return word !== 'allow' && severity[word] >= severity[rest.word] ? { word, rule: 1 } : rest
}

function like(glob: string, text: string): boolean {
  return new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(text)
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const hints = fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }, { requiredKeys: [] })

const rule: fc.Arbitrary<PlainRule> = fc
  .record({
    server: maybe(fc.constantFrom('files', 'f*', '*', 'no?es')),
    tool: maybe(fc.constantFrom('read_*', '*_file', 'delete', '?????e', '*a*')),
    requester: maybe(fc.constantFrom(alice, 'local', 'group:admins', 'client:cursor')),
    annotations: maybe(hints.filter((said) => Object.keys(said).length > 0)),
    when: maybe(fc.constantFrom(...Object.keys(meanings))),
    decide: fc.constantFrom<Word>('allow', 'ask', 'deny'),
  })
  .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as never)

const call: fc.Arbitrary<ToolCall> = fc.record({
  requester: fc.record({
    participant: fc.constantFrom(alice, bob, 'local' as ParticipantId),
    client: fc.constantFrom('cursor', 'claude-code'),
  }),
  groups: fc.constantFrom([], ['admins'], ['dev', 'admins'], ['dev']),
  server: fc.constantFrom('files', 'notes', 'f'),
  tool: fc.constantFrom('read_file', 'write_file', 'delete', 'read_', 'a'),
  arguments: fc
    .record(
      {
        path: fc.constantFrom('/etc/passwd', '/tmp/x', 7),
        amount: fc.constantFrom(1, 101, 5_000, 'many'),
      },
      { requiredKeys: [] },
    )
    .map((given) => ({ ...given })),
  definition: fc.constant('d'),
  annotations: hints.map((said) => ({ ...said })),
  trusted: fc.boolean(),
})

test('10,000 generated calls are decided as the plain reading of the language says', () => {
  const words = new Set<string>()
  let calls = 0
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 6 }),
      fc.constantFrom<Word>('allow', 'ask', 'deny'),
      fc.array(call, { minLength: 20, maxLength: 20 }),
      (rules, byDefault, many) => {
        const policy = readPolicy({ default: byDefault, rules })
        for (const made of many) {
          const { decision, rules: explained } = explain(policy, made)
          const { decide: word, why } = decision
          expect({ word, rule: why.rule }).toEqual(reference(rules, byDefault, made))
          expect(explained.find(({ decided }) => decided)?.rule).toBe(why.rule)
          words.add(`${word} ${why.failed === true} ${why.rule}`)
          calls += 1
        }
      },
    ),
    { seed: 20_260_728, numRuns: 500 },
  )
  expect(calls).toBe(10_000)
  // So that nobody wonders whether they were all alike.
  expect(words.size).toBeGreaterThan(20)
})
