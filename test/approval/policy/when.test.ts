import { describe, expect, test } from 'vitest'
import { compileWhen, type When } from '../../../src/approval/policy/when/when.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { aCall, alice } from '../../support/approval/a-call.ts'
import { cpuTimer } from '../../support/measure/cpu-time.ts'

function ready(source: string): When {
  const when = compileWhen(source)
  if ('refused' in when) throw new Error(when.refused)
  return when
}

const judge = (source: string, args: JsonObject) => ready(source).judge(aCall({ arguments: args }))

test.each<[string, JsonObject, boolean]>([
  ["args.path.startsWith('/etc')", { path: '/etc/passwd' }, true],
  ["args.path.startsWith('/etc')", { path: '/tmp' }, false],
  ['args.amount > 1000', { amount: 1_001 }, true],
  ['args.amount == 1000', { amount: 1_000 }, true],
  ['args.amount * 2.0 > 10.0', { amount: 5.5 }, true],
  ['-args.amount < 0.0', { amount: 1 }, true],
  ['has(args.force) && args.force', {}, false],
  ['args.force ? true : false', { force: true }, true],
  ["args.to.exists(address, address.endsWith('@example.com'))", { to: ['a@b.c', 'x@example.com'] }, true],
  ['args.to.all(a, args.cc.exists(c, c == a))', { to: ['a'], cc: ['b', 'a'] }, true],
  ["args.env in ['production', 'staging']", { env: 'production' }, true],
  ['args.env in args.all', { env: 'a', all: ['a'] }, true],
  ["args.path.re2('^/(tmp|var)/')", { path: '/var/x' }, true],
  ["args.path.re2('^/(tmp|var)/')", { path: '/etc/x' }, false],
  ["args.path.split('/').exists(part, part == '..')", { path: '/a/../b' }, true],
  ["args == {'a': [1.0]}", { a: [1] }, true],
  ["server == 'files' && tool == 'write_file'", {}, true],
  [`requester.participant == '${alice}' && requester.client == 'claude-code'`, {}, true],
  ["'admins' in requester.groups || size(requester.agents) > 0", {}, false],
  ["args.a['b'].c == 1.0", { a: { b: { c: 1 } } }, true],
])('%s of %j is %s', (source, args, expected) => {
  expect(judge(source, args)).toBe(expected)
})

test('a condition knows the groups and agents of the requester, and the worse of what the server leaves unsaid', () => {
  const call = aCall({
    groups: ['admins'],
    requester: { participant: alice, client: 'c', agents: ['outer', 'inner'] },
    annotations: { readOnlyHint: true },
  })
  expect(ready("'admins' in requester.groups && requester.agents[1] == 'inner'").judge(call)).toBe(true)
  expect(ready('annotations.readOnlyHint && annotations.destructiveHint').judge(call)).toBe(true)
})

test.each([
  ["annotations.readOnlyHint || args.a == 'b'", true],
  ["annotations['readOnlyHint']", true],
  ['args.list.exists(x, annotations.readOnlyHint)', true],
  ["args.list.exists(annotations, annotations == 'x')", false],
  ["args.annotations == 'x'", false],
])('%s looks at what the server says: %s', (source, reads) => {
  expect(ready(source).readsAnnotations).toBe(reads)
})

describe('a condition that cannot be judged is a failure, never a yes or a no', () => {
  test.each<[string, string, JsonObject]>([
    ['a missing argument', "args.path.startsWith('/etc')", {}],
    ['an argument of another type', "args.path.startsWith('/etc')", { path: 7 }],
    ['an argument that is null', "args.path.startsWith('/etc')", { path: null }],
    ['a sum of unlike numbers', 'args.n * 2 == 4', { n: 2 }],
    ['a truthy text', 'args.a || args.b', { a: 'yes', b: 'yes' }],
    ['a place beyond the list', 'args.l[3] == 1', { l: [] }],
  ])('%s', (_, source, args) => {
    expect(judge(source, args)).toEqual({ failed: expect.any(String) })
  })
})

describe('an expression is refused', () => {
  test.each([
    ['that is not true or false', 'args.force', 'It must be true or false.'],
    ['that may be anything', 'args.x == 1 ? args.a : false', 'It must be true or false.'],
    ['that is text', "'yes'", 'It must be true or false.'],
    ['that cannot be read', 'args.x ==', 'It cannot be read at character 10'],
    ['with a name nobody knows', 'user == 1', 'Unknown variable: user'],
    ['with a field nobody knows', "requester.name == 'x'", '"requester" has no "name". It has participant, client'],
    ['with a hint nobody knows', 'annotations.safe', '"annotations" has no "safe".'],
    ['with matches', "args.path.matches('(a+)+')", 'Use re2 instead'],
    ['with bind', 'cel.bind(x, 1, x == 1)', '"bind" is not a function'],
    ['with a function nobody knows', 'eval(args.x) == 1', '"eval" is not a function'],
    ['with bytes as JSON', 'bytes(args.x).json() == {}', '"json" is not a function'],
    ['with a pattern out of the arguments', 'args.a.re2(args.b)', 'must be written out as text'],
    ['without a pattern', 'args.a.re2()', 'must be written out as text'],
    ['with a pattern that cannot be read', "args.a.re2('(')", 'missing closing )'],
    ['with a pattern that looks back', "args.a.re2('(a)\\\\1')", 'invalid escape sequence'],
    ['with a pattern that explodes', "args.a.re2('((a{100}){100}){100}')", 'invalid repeat count'],
    ['with a pattern too long', `args.a.re2('${'a'.repeat(501)}')`, 'at most 500 characters'],
    ['with loops nested too deep', 'args.a.all(x, args.a.all(y, args.a.all(z, true)))', 'at most 2 deep'],
    ['with a loop over no name', 'args.a.all(x.y, true)', 'It cannot be read'],
    ['with too many parts', Array(200).fill('args.a == 1').join(' || '), 'It cannot be read'],
    ['nested too deep', `${'('.repeat(60)}true${')'.repeat(60)}`, 'It cannot be read'],
    ['with a list too long', `args.a in [${Array(201).fill("'a'").join(',')}]`, 'It cannot be read'],
  ])('%s', (_, source, words) => {
    const when = compileWhen(source)
    expect(when).toEqual({ refused: expect.stringContaining(words) })
  })
})

describe('attack: reading prototypes', () => {
  test.each([
    'args.constructor != null',
    'args.__proto__ != null',
    "args['constructor'] != null",
    'args.path.constructor != null',
    "args['__proto__']['polluted'] == true",
    'has(args.toString)',
    'has(args.constructor) || has(args.__proto__)',
    "'constructor' in args",
    "requester['__proto__'] != null",
    'args.list.map(x, x.constructor) != []',
  ])('%s', (source) => {
    const judged = judge(source, { path: '/tmp', list: [{}] })
    expect(judged === false || typeof judged === 'object').toBe(true)
  })
})

describe('attack: a condition that never ends', () => {
  const soon = 1_500
  const many = Array.from({ length: 3_000 }, () => 'a')
  test.each<[string, string, JsonObject]>([
    ['a pattern that backtracks', "args.s.re2('^(a+)+$')", { s: `${'a'.repeat(15_000)}b` }],
    ['a long text for a pattern', "args.s.re2('(x+x+)+y')", { s: 'x'.repeat(4_000_000) }],
    ['a pattern for each of many', "args.l.all(x, args.s.re2('(a|b)*c') || true)", { l: many, s: 'ab'.repeat(500) }],
    ['nested comprehensions', 'args.l.all(x, args.l.all(y, x == y))', { l: many }],
    ['a long list', 'args.l.all(x, args.s.contains(x) == false)', { l: many.map(() => 'b'), s: 'a'.repeat(1_000_000) }],
    ['a list out of text', "args.s.split('').all(x, args.s.split('').all(y, x == y))", { s: 'a'.repeat(3_000) }],
    [
      'the keys of an object',
      'args.o.all(x, args.o.all(y, x == y || true))',
      {
        o: Object.fromEntries(many.map((_, index) => [`k${index}`, 1])),
      },
    ],
    [
      'a text sought in a text',
      'args.a.contains(args.b)',
      {
        a: 'a'.repeat(1_000_000),
        b: `${'a'.repeat(250_000)}b${'a'.repeat(250_000)}`,
      },
    ],
    [
      'a text in a text',
      'args.b in args.a',
      {
        a: 'a'.repeat(1_000_000),
        b: `${'a'.repeat(250_000)}b${'a'.repeat(250_000)}`,
      },
    ],
    ['a deep value compared', 'args.a == args.b', { a: deep(100_000), b: deep(100_000) }],
    ['a deep value in a loop', 'args.l.exists(x, x == args.a)', { a: deep(100_000), l: [1] }],
  ])('%s ends soon', (_, source, args) => {
    const when = ready(source)
    const took = cpuTimer()
    when.judge(aCall({ arguments: args }))
    expect(took()).toBeLessThan(soon)
  })

  test('what is too large for a condition is a failure', () => {
    expect(judge('args.l.all(x, args.l.all(y, x == y))', { l: many })).toEqual({
      failed: expect.stringMatching(/too large/),
    })
    expect(judge("args.s.re2('a')", { s: 'b'.repeat(20_001) })).toEqual({
      failed: expect.stringMatching(/at most 20000/),
    })
  })

  test('a long text does not stop a condition that reads it once', () => {
    const args = { path: '/etc/x', content: 'a'.repeat(1_000_000) }
    expect(judge("args.path.startsWith('/etc') && args.content.contains('b') == false", args)).toBe(true)
  })

  test('what one call used up of re2 is there again for the next', () => {
    const when = ready("args.s.re2('^b*$')")
    const call = aCall({ arguments: { s: 'b'.repeat(15_000) } })
    expect([when.judge(call), when.judge(call), when.judge(call)]).toEqual([true, true, true])
  })
})

function deep(levels: number): JsonObject {
  let value: JsonObject = {}
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}
