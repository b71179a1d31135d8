import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import type { RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import { choicesFor } from '../../src/approval/question/choices.ts'
import { editsIn, pageForm } from '../../src/approval/question/page-form.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { Content } from '../../src/elicitation/form/schema.ts'
import type { Assent } from '../../src/index.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd, audited, refusal, say } from '../support/approval/approving.ts'
import { onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { cpuTimer } from '../support/measure/cpu-time.ts'
import { readPolicy } from '../support/policies.ts'

const editPath: RuleSettings = { tool: 'write_file', decide: 'ask', editable: ['path'] }
const yes = { choice: 'allow_once' }

function formOf(call: ToolCall, editable: readonly string[]) {
  const decision = decide(readPolicy({ rules: [{ decide: 'ask', editable }] }), call)
  return pageForm(call, decision, choicesFor(call, decision, alice, 'page'))
}

describe('what an approver edits', () => {
  test('is what runs, once, and the audit says which arguments', async () => {
    const assent = await anAssent({ policy: { rules: [{ ...editPath, keepArguments: true }] } })
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent, { ...yes, edit_path: '/tmp/b' })
    const edited = { path: '/tmp/b', content: 'hello' }
    expect(await upstream.run(aCall(), 'walk-1', id)).toEqual({ kind: 'done', result: 'ran' })
    expect(upstream.sent.map((call) => call.arguments)).toEqual([edited])
    const [started] = await audited(assent, 'call-started')
    expect(started).toMatchObject({ data: { edited: ['path'], rule: 1 }, kept: { value: { arguments: edited } } })
    expect((await upstream.run(aCall(), 'walk-1', id)).kind).toBe('refused')
  })

  test('is what runs also for the same call sent anew', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const upstream = anUpstream(assent)
    await asksAnd(assent, { ...yes, edit_path: '/tmp/b' })
    await upstream.run(aCall(), 'another-walk')
    expect(upstream.sent.map((call) => call.arguments.path)).toEqual(['/tmp/b'])
  })

  test('is only what the rule lets them: a field that was not asked for is dropped', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent, { ...yes, edit_path: '/tmp/notes.txt', edit_content: 'evil', content: 'evil' })
    await upstream.run(aCall(), 'walk-1', id)
    expect(upstream.sent).toEqual([aCall()])
  })

  test('attack: an answer kept past every check edits what the rule does not', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const asked = await asks(assent)
    const answer = { action: 'accept', content: { ...yes, edit_path: '/tmp/b', edit_content: 'evil' } } as const
    const state = { kind: 'answered', answer, by: { participant: alice, via: 'page' }, at: new Date() } as const
    await assent.store.elicitations.saveIfUnchanged({ ...asked, version: 2, state })
    const upstream = anUpstream(assent)
    await upstream.run(aCall(), 'walk-1', asked.id)
    expect(upstream.sent.map((call) => call.arguments)).toEqual([{ path: '/tmp/b', content: 'hello' }])
  })

  test('runs once only: what a lasting yes would not keep is refused', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const asked = await asks(assent)
    const always = 'always_allow/tool/revoked/this'
    const answered = await say(assent, asked, { choice: always, edit_path: '/tmp/b' })
    expect(answered).toMatchObject({ kind: 'invalid', errors: [{ field: 'choice' }] })
    expect(await say(assent, asked, { choice: always, edit_path: '/tmp/notes.txt' })).toMatchObject({ kind: 'kept' })
  })

  test.each<[string, Content]>([
    ['there', { choice: 'deny', edit_path: '/tmp/b' }],
    ['missing', { choice: 'deny', reason: 'No.' }],
    ['of another type', { choice: 'always_deny/tool/revoked/this', edit_path: 7 }],
  ])('does not matter to a no, be it %s', async (_, given) => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const asked = await asks(assent)
    expect(await say(assent, asked, given)).toMatchObject({ kind: 'kept' })
    const { edit_path: _edit, ...kept } = given
    expect((await assent.get(asked.id))?.state).toMatchObject({ answer: { action: 'accept', content: kept } })
    expect(await anUpstream(assent).run(aCall(), 'walk-1', asked.id)).toMatchObject({
      status: 'denied',
      reason: given.choice?.toString().split('/')[0]?.replace('always_deny', 'always-denied'),
    })
  })

  test('must be there for a yes: nobody can tell a cleared field from one that was left out', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const asked = await asks(assent)
    for (const given of [yes, null, 'deny', {}]) {
      const answer = { action: 'accept', content: given as Content } as const
      expect(await assent.answer(asked.id, onPage(alice), answer)).toMatchObject({ kind: 'invalid' })
    }
  })

  test('is judged by the policy that holds by then, also when the first let nobody edit', async () => {
    const assent = await anAssent()
    await assent.approvals.usePolicy(readPolicy({ rules: [editPath] }))
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent, { ...yes, edit_path: '/tmp/b' })
    await upstream.run(aCall(), 'walk-1', id)
    expect(upstream.sent.map((call) => call.arguments.path)).toEqual(['/tmp/b'])
  })
})

describe('an edited call is decided anew', () => {
  const starts = (path: string) => `has(args.path) && args.path.startsWith('${path}')`
  const rules: RuleSettings[] = [
    { when: starts('/etc'), decide: 'deny', reason: 'Never /etc.' },
    { when: starts('/admin'), decide: 'ask', approvers: [bob], reason: 'That is for bob.' },
    { when: starts('/page'), decide: 'ask', answer: 'page' },
    { when: starts('/free'), decide: 'allow' },
    { when: starts('/kept'), decide: 'allow', keepArguments: true },
    editPath,
  ]
  const client = { participant: alice, groups: [], via: 'client', client: 'claude-code' } as const

  test.each([
    ['that is denied', '/etc/passwd', 'Never /etc.'],
    ['that somebody else approves', '/admin/x', 'That is for bob.'],
    ['that needs a page', '/page/x', 'Rule 3 says that a person must approve it.'],
    ['too large to be kept', `/kept/${'x'.repeat(50_000)}`, 'too large'],
  ])('one %s is not taken, and the question stays', async (_, path, words) => {
    const assent = await anAssent({ policy: { rules } })
    const asked = await asks(assent)
    const answered = await say(assent, asked, { ...yes, edit_path: path }, client)
    expect(answered).toMatchObject({ kind: 'invalid', errors: [{ message: expect.stringContaining(words) }] })
    expect((await assent.get(asked.id))?.state.kind).toBe('open')
  })

  test.each(['/free/x', '/tmp/x', '/kept/x'])('one that may run runs: %s', async (path) => {
    const assent = await anAssent({ policy: { rules } })
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent, { ...yes, edit_path: path })
    expect((await upstream.run(aCall(), 'walk-1', id)).kind).toBe('done')
    const [started] = await audited(assent, 'call-started')
    expect(started?.kept !== undefined).toBe(path.startsWith('/kept'))
  })

  test('attack: the policy is made stricter after the yes', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const upstream = anUpstream(assent)
    const { id } = await asksAnd(assent, { ...yes, edit_path: '/etc/passwd' })
    await assent.approvals.usePolicy(readPolicy({ rules }))
    const message = 'The approver changed the arguments, and then: Never /etc.'
    expect(await upstream.run(aCall(), 'walk-1', id)).toEqual(refusal('denied', 'edits-denied', message))
    // The same call sent anew is asked about anew: an edit that cannot run is in nobody's way.
    expect((await upstream.run(aCall(), 'walk-2')).kind).toBe('question')
    expect(upstream.sent).toEqual([])
  })

  test('in watch mode it runs', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const { id } = await asksAnd(assent, { ...yes, edit_path: '/etc/passwd' })
    await assent.approvals.usePolicy(readPolicy({ mode: 'watch', rules }))
    expect((await anUpstream(assent).run(aCall(), 'walk-1', id)).kind).toBe('done')
  })
})

describe('an edit must be what the tool takes', () => {
  const withPath = (path: JsonObject): JsonObject => ({ type: 'object', properties: { path } })
  let deep: JsonObject = {}
  for (let n = 0; n < 200; n += 1) deep = { not: deep }
  // Each reads the next twice, and the last says no: two to the fortieth looks.
  const doubling: JsonObject = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`d${n}`, { anyOf: [ref(n + 1), ref(n + 1)] }] as [string, JsonObject]),
  )
  function ref(n: number): JsonObject {
    return n === 40 ? { type: 'null' } : { $ref: `#/$defs/d${n}` }
  }
  const nobody = 'Nobody can tell what this tool takes, so its arguments must stay as they are.'

  test.each<[string, JsonObject | undefined, string, string | undefined]>([
    ['fits', withPath({ type: 'string' }), '/tmp/b', undefined],
    ['is of the wrong length', withPath({ type: 'string', maxLength: 20 }), 'x'.repeat(30), 'edit_path'],
    [
      'is not one of these',
      { ...withPath({ type: 'string' }), not: { properties: { path: { const: '/no' } } } },
      '/no',
      'matched',
    ],
    ['fits a pattern', withPath({ type: 'string', pattern: '^/tmp/' }), '/tmp/b', undefined],
    ['does not fit a pattern', withPath({ type: 'string', pattern: '^/tmp/' }), '/x', 'path is not written as'],
    [
      'meets a pattern that takes for ever',
      withPath({ type: 'string', pattern: '^(a+)+$' }),
      `${'a'.repeat(90)}!`,
      'path is not written as',
    ],
    ['meets a pattern that nobody can run safely', withPath({ type: 'string', pattern: '^(?=a)' }), 'a', nobody],
    [
      'meets patterns for names',
      { ...withPath({ type: 'string' }), patternProperties: { '^(a+)+$': {} } },
      '/b',
      undefined,
    ],
    ['meets a deep schema', { ...withPath({ type: 'string' }), allOf: [deep] }, '/b', nobody],
    ['meets a schema without end', { ...withPath({ type: 'string' }), allOf: [{ $ref: '#' }] }, '/b', nobody],
    [
      'meets a schema that doubles',
      { ...withPath({ type: 'string' }), $defs: doubling, allOf: [ref(0)] },
      '/b',
      nobody,
    ],
    [
      'meets an argument called pattern',
      { type: 'object', properties: { path: { type: 'string' }, pattern: { type: 'string' } } },
      '/b',
      undefined,
    ],
    [
      'lacks what is required',
      { ...withPath({ type: 'string' }), required: ['mode'] },
      '/b',
      'required property "mode"',
    ],
  ])('one that %s', async (_, inputSchema, path, problem) => {
    const took = cpuTimer()
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const call = aCall({ inputSchema: inputSchema as JsonObject })
    const answered = await say(assent, await asks(assent, call), { ...yes, edit_path: path })
    if (problem === undefined) expect(answered).toMatchObject({ kind: 'kept' })
    else expect(JSON.stringify(answered)).toContain(JSON.stringify(problem).slice(1, -1))
    expect(took()).toBeLessThan(10_000)
  })

  test('what a tool took when it was asked about, and takes no more, does not run', async () => {
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const { id } = await asksAnd(assent, { ...yes, edit_path: '/tmp/b' })
    const upstream = anUpstream(assent)
    const call = aCall({ inputSchema: withPath({ const: '/tmp/notes.txt' }) })
    expect(await upstream.run(call, 'walk-1', id)).toEqual(refusal('failed', 'edits-refused'))
    expect(upstream.sent).toEqual([])
  })

  test('a tool that says nothing of its arguments has none that can be edited', async () => {
    const { inputSchema: _, ...call } = aCall({ arguments: { path: ['/tmp'] } })
    const assent = await anAssent({ policy: { rules: [editPath] } })
    const answered = await say(assent, await asks(assent, call), { ...yes, json_path: '["/etc"]' })
    expect(answered).toMatchObject({ kind: 'invalid', errors: [{ message: nobody }] })
    const odd = aCall({ definition: 'odd', inputSchema: { type: 'object' }, arguments: { path: ['/tmp'] } })
    expect(await say(assent, await asks(assent, odd), { ...yes, json_path: '["/etc"]' })).toMatchObject({
      kind: 'kept',
    })
  })
})

describe('the form of the page', () => {
  const call = aCall({
    arguments: {
      to: ['a', 'b'],
      options: { deep: true },
      path: '/tmp',
      password: 'x',
      credentials: { token: 'x' },
      none: null,
    },
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        to: { type: 'array', items: { type: 'string' } },
        options: { type: 'object' },
        password: { type: 'string' },
        credentials: { type: 'object' },
        none: {},
      },
    },
  })

  test('has what is flat as fields and the rest as JSON; what looks like a secret stays as it is', () => {
    const form = formOf(call, ['path', 'to', 'options', 'password', 'credentials', 'none', 'absent'])
    expect(Object.keys(form.properties)).toEqual([
      'choice',
      'reason',
      'edit_path',
      'json_to',
      'json_options',
      'json_none',
    ])
    expect(form.properties.json_to).toMatchObject({ type: 'string', default: '[\n  "a",\n  "b"\n]' })
    expect(form.required).toEqual(['choice', 'edit_path'])
  })

  test('leaves out what would make it too large, and keeps the rest', () => {
    const long = { path: '/tmp', to: ['x'.repeat(50_000)], options: { text: 'x'.repeat(50_000) } }
    const form = formOf({ ...call, arguments: long }, ['to', 'options', 'path'])
    expect(Object.keys(form.properties)).toEqual(['choice', 'reason', 'json_to', 'edit_path'])
  })

  test('leaves out a name that no form can have', () => {
    const form = formOf(aCall({ arguments: { 'a\nb': {} } }), ['a\nb'])
    expect(Object.keys(form.properties)).toEqual(['choice', 'reason'])
  })

  async function sentBy(assent: Assent, content: Content) {
    const { id } = await asksAnd(assent, { ...yes, edit_path: '/tmp', ...content }, call, onPage(alice))
    const upstream = anUpstream(assent)
    await upstream.run(call, 'walk-1', id)
    return upstream.sent[0]?.arguments
  }

  test('JSON is edited as JSON', async () => {
    const assent = await anAssent({ policy: { rules: [{ decide: 'ask', editable: ['path', 'to', 'options'] }] } })
    expect(await sentBy(assent, { json_to: '["c"]' })).toEqual({ ...call.arguments, to: ['c'] })
    expect(await sentBy(assent, { json_options: '{"deep": true}' })).toEqual(call.arguments)
  })

  test.each([
    ['no JSON', '[1,', 'to must be JSON.'],
    ['nothing', '', 'to must be JSON.'],
    [
      'deeper than anything',
      `${'['.repeat(500)}${']'.repeat(500)}`,
      expect.stringContaining('is nested deeper than 120 levels.'),
    ],
    ['a changed number', '[9007199254740993]', expect.stringContaining('to[0] is 9007199254740993, which has more')],
  ])('what is %s is refused at its field', (_, json_to, message) => {
    const errors = [{ field: 'json_to', message }]
    expect(editsIn({ json_to }, ['to'])).toEqual({ edits: {}, errors })
  })

  test('what is no JSON leaves the question open', async () => {
    const assent = await anAssent({ policy: { rules: [{ decide: 'ask', editable: ['to'] }] } })
    const answered = await say(assent, await asks(assent, call), { ...yes, json_to: 'a, b' })
    expect(answered).toMatchObject({ kind: 'invalid', errors: [{ field: 'json_to' }] })
  })
})
