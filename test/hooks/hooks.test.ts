import { describe, expect, test } from 'vitest'
import { answerHook, type Hooked } from '../../src/hooks/answer-hook.ts'
import { type HookClient, type HookEvent, hookClients, writeAnswer } from '../../src/hooks/contracts.ts'
import { OtherEvent, readHookCall } from '../../src/hooks/hook-call.ts'
import type { Assent, AssentOptions } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { anAssent, getExisting } from '../support/assents.ts'
import { hookInput } from '../support/hooks/recorded.ts'
import { enrolledBrowser } from '../support/test-browser.ts'
import { allowOnce, approvePath } from '../support/web/approvals.ts'
import { localPlace } from '../support/web/places.ts'

const inInbox = { participant: localParticipant, groups: [], via: 'inbox' } as const
const hour = 3_600_000

const withRule = (rule: object, policy: object = {}): AssentOptions =>
  ({ policy: { rules: [rule], ...policy }, publicUrl: 'http://127.0.0.1:4180' }) as never

/** Asks as the client does. */
function ask(assent: Assent, client: HookClient, event?: HookEvent, changed?: object, hooked: Partial<Hooked> = {}) {
  const hook = readHookCall(client, hookInput(client, event, changed))
  return answerHook(assent, hook, { participant: localParticipant, holdMs: hour, ...hooked })
}

/** The question that waits in the inbox. */
async function question(assent: Assent) {
  await expect.poll(() => assent.listOpen(inInbox, 10)).toHaveLength(1)
  const [open] = await assent.listOpen(inInbox, 10)
  return open as NonNullable<typeof open>
}

const fieldsOf = (asked: object) => Object.keys((asked as { schema: { properties: object } }).schema.properties)

async function answer(assent: Assent, content: object) {
  const { id } = await question(assent)
  return assent.answer(id, inInbox, { action: 'accept', content: content as never })
}

/** What the audit says of calls and hooks, oldest first. */
async function audited({ store }: Assent) {
  const chains = await store.audit.chains()
  const events = await Promise.all(chains.map(({ chain }) => store.audit.read(chain, 0, 1_000)))
  return events
    .flat()
    .filter(({ kind }) => kind.startsWith('call-') || kind.startsWith('hook-'))
    .map(({ kind, data }) => ({ kind, ...data }))
}

const allowed = { hookSpecificOutput: { permissionDecision: 'allow' } }
const decided = (output: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } })
const permitted = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })

describe('what a coding agent is told', () => {
  test('a rule allows: Claude Code runs it without its own prompt, and Codex goes on', async () => {
    const assent = await anAssent(withRule({ server: ['claude-code', 'codex'], tool: 'Bash', decide: 'allow' }))
    expect(await ask(assent, 'claude-code')).toEqual(
      decided({ permissionDecision: 'allow', permissionDecisionReason: 'Assent: Rule 1 says that it may run.' }),
    )
    // Codex refuses a plain allow, and goes on after silence.
    expect(await ask(assent, 'codex')).toEqual({})
    for (const client of hookClients)
      expect(await ask(assent, client, 'PermissionRequest')).toEqual(permitted({ behavior: 'allow' }))
  })

  test('a rule sees the command, the folder and the client', async () => {
    const when = 'args.command == "make clean" && args.cwd == "/work" && server == "claude-code"'
    const assent = await anAssent(
      withRule({ tool: 'Bash', when, decide: 'deny', reason: 'Keep it.' }, { default: 'allow' }),
    )
    expect(await ask(assent, 'claude-code')).toEqual(
      decided({ permissionDecision: 'deny', permissionDecisionReason: 'This call is not allowed. Keep it.' }),
    )
    expect(await ask(assent, 'claude-code', 'PreToolUse', { cwd: '/other' })).toEqual({})
  })

  test.each(hookClients)('%s: a rule denies, with a reason for the model', async (client) => {
    const assent = await anAssent(withRule({ tool: 'Bash', decide: 'deny', reason: 'Not here.' }))
    const reason = 'This call is not allowed. Not here.'
    expect(await ask(assent, client)).toEqual(decided({ permissionDecision: 'deny', permissionDecisionReason: reason }))
    expect(await ask(assent, client, 'PermissionRequest')).toEqual(permitted({ behavior: 'deny', message: reason }))
    expect(await audited(assent)).toEqual([
      expect.objectContaining({ kind: 'call-refused', server: client, tool: 'Bash', reason: 'policy' }),
      expect.objectContaining({ kind: 'call-refused' }),
    ])
  })

  test('where no rule names the call and the default allows it, the client does as it would without us', async () => {
    const assent = await anAssent({ policy: { default: 'allow' } })
    expect(await ask(assent, 'claude-code')).toEqual({})
    expect(await ask(assent, 'claude-code', 'PermissionRequest')).toEqual({})
  })

  test.each(hookClients)('%s: a policy that only watches silences no prompt, and is on record', async (client) => {
    const assent = await anAssent(withRule({ tool: 'Bash', decide: 'deny' }, { mode: 'watch' }))
    for (const event of ['PreToolUse', 'PermissionRequest'] as const)
      expect(await ask(assent, client, event)).toEqual({})
    expect((await audited(assent)).slice(0, 2)).toEqual([
      expect.objectContaining({ kind: 'call-started', watched: true, decided: 'deny' }),
      { kind: 'hook-answered', server: client, tool: 'Bash', event: 'PreToolUse', answer: 'none' },
    ])
  })

  test.each(hookClients)('%s: a pause denies, whatever the rules and the mode say', async (client) => {
    const assent = await anAssent(withRule({ tool: 'Bash', decide: 'allow' }, { mode: 'watch' }))
    await assent.approvals.pause(localParticipant)
    const reason = 'Everything is paused here: no tool runs for now.'
    expect(await ask(assent, client)).toEqual(decided({ permissionDecision: 'deny', permissionDecisionReason: reason }))
  })
})

test('no argument of a tool is hidden behind the folder, whatever its name', async () => {
  const assent = await anAssent(withRule({ tool: 'Bash', decide: 'ask', editable: ['command'] }))
  const given = { command: 'ls', cwd: '/a', $cwd: '/b' }
  const asked = ask(assent, 'claude-code', 'PreToolUse', { tool_input: given })
  const { subject } = await question(assent)
  expect(subject).toMatchObject({ call: { arguments: { ...given, $$cwd: '/work' } } })
  await answer(assent, { choice: 'allow_once', edit_command: 'ls -l' })
  expect(await asked).toMatchObject({ hookSpecificOutput: { updatedInput: { ...given, command: 'ls -l' } } })
})

describe('a person is asked', () => {
  test('and the call is held until they say yes; the audit has the answer and no end', async () => {
    const assent = await anAssent()
    const asked = ask(assent, 'claude-code')
    expect((await question(assent)).question.message).toContain('Bash')
    await answer(assent, { choice: 'allow_once' })
    expect(await asked).toEqual(
      decided({ permissionDecision: 'allow', permissionDecisionReason: 'Assent: local allowed it.' }),
    )
    expect(await audited(assent)).toEqual([
      expect.objectContaining({ kind: 'call-started', server: 'claude-code', tool: 'Bash', client: 'claude-code' }),
      { kind: 'hook-answered', server: 'claude-code', tool: 'Bash', event: 'PreToolUse', answer: 'allow' },
    ])
  })

  test.each(hookClients)('%s: a no is a deny', async (client) => {
    const assent = await anAssent()
    const asked = ask(assent, client)
    await answer(assent, { choice: 'deny' })
    expect(await asked).toEqual(
      decided({ permissionDecision: 'deny', permissionDecisionReason: expect.stringContaining('said no') }),
    )
  })

  test('a yes runs one call; a lasting yes for the tool covers the next, and the other client is asked', async () => {
    const assent = await anAssent()
    const first = ask(assent, 'claude-code')
    await answer(assent, { choice: 'allow_once' })
    await first
    const second = ask(assent, 'claude-code')
    await answer(assent, { choice: 'always_allow/tool/hour/this' })
    await second
    expect(await ask(assent, 'claude-code', 'PreToolUse', { tool_input: { command: 'ls' } })).toMatchObject(allowed)
    expect(await ask(assent, 'codex', 'PreToolUse', {}, { holdMs: 0 })).not.toEqual({})
  })

  test('a yes to a command in one folder is none in another', async () => {
    const assent = await anAssent()
    expect(await ask(assent, 'claude-code', 'PreToolUse', {}, { holdMs: 0 })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'ask' },
    })
    await answer(assent, { choice: 'allow_once' })
    const elsewhere = await ask(assent, 'claude-code', 'PreToolUse', { cwd: '/' }, { holdMs: 0 })
    expect(elsewhere).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } })
    expect(await ask(assent, 'claude-code')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } })
  })

  test('and may edit the command where the rule lets them; the client gets all arguments back, without the folder', async () => {
    const rule = { tool: 'Bash', decide: 'ask', editable: ['command', 'cwd'] }
    const edit = { choice: 'allow_once', edit_command: 'make -n clean' }
    const assent = await anAssent(withRule(rule))
    const claude = ask(assent, 'claude-code')
    await answer(assent, edit)
    expect(await claude).toEqual(
      decided({
        permissionDecision: 'allow',
        permissionDecisionReason: 'Assent: local allowed it.',
        updatedInput: { command: 'make -n clean', description: 'Remove what was built' },
      }),
    )
    const prompted = ask(assent, 'claude-code', 'PermissionRequest')
    await answer(assent, edit)
    expect(await prompted).toEqual(
      permitted({
        behavior: 'allow',
        updatedInput: { command: 'make -n clean', description: 'Remove what was built' },
      }),
    )
  })

  test('the folder cannot be edited, and an edited argument keeps its type', async () => {
    const assent = await anAssent(withRule({ tool: 'Bash', decide: 'ask', editable: ['command', 'cwd'] }))
    const asked = ask(assent, 'claude-code', 'PreToolUse', { tool_input: { command: ['make', 'clean'] } })
    expect(fieldsOf((await question(assent)).question)).toEqual(['choice', 'reason', 'json_command'])
    const text = { choice: 'allow_once', json_command: '"make clean"' }
    expect(await answer(assent, text)).toMatchObject({ kind: 'invalid' })
    await answer(assent, { choice: 'deny' })
    expect(await asked).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
  })

  test.each([
    ['PreToolUse', {}],
    ['PermissionRequest', permitted({ behavior: 'allow' })],
  ] as const)(
    'Codex may drop edited arguments, so a call of its %s is not offered for editing',
    async (event, allowed) => {
      const assent = await anAssent(withRule({ tool: 'Bash', decide: 'ask', editable: ['command'] }))
      const asked = ask(assent, 'codex', event)
      const { question: about, id } = await question(assent)
      expect(fieldsOf(about)).toContain('choice')
      expect(fieldsOf(about)).not.toContain('edit_command')
      await assent.answer(id, inInbox, { action: 'accept', content: { choice: 'allow_once' } })
      expect(await asked).toEqual(allowed)
    },
  )
})

test('the page shows a shell command whole, with its folder, and a yes there lets it run', async () => {
  const place = await localPlace({}, { clocks: { question: '1h', tidy: 0 } })
  const command = `${'echo "<b>"; '.repeat(500)}rm -rf the-very-end`
  const asked = ask(place.assent, 'claude-code', 'PreToolUse', { tool_input: { command } })
  const browser = await enrolledBrowser(place)
  const path = approvePath(await question(place.assent))
  const { text } = await browser.get(path)
  expect(text).toContain('echo &quot;&lt;b&gt;&quot;; '.repeat(500).trim())
  expect(text).toContain('rm -rf the-very-end')
  expect(text).toContain('/work')
  await browser.post(path, allowOnce)
  expect(await asked).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } })
})

describe('nobody answers in time', () => {
  test('Claude Code prompts by itself, and the question stays: the same call finds its answer', async () => {
    const assent = await anAssent(withRule({ tool: 'Bash', decide: 'ask' }))
    expect(await ask(assent, 'claude-code', 'PreToolUse', {}, { holdMs: 0 })).toEqual(
      decided({
        permissionDecision: 'ask',
        permissionDecisionReason: expect.stringMatching(/^Nobody answered at http:\/\/127.0.0.1:4180\/elicit\//),
      }),
    )
    expect(await audited(assent)).toEqual([
      { kind: 'hook-answered', server: 'claude-code', tool: 'Bash', event: 'PreToolUse', answer: 'ask' },
    ])
    await answer(assent, { choice: 'allow_once' })
    expect(await ask(assent, 'claude-code')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } })
  })

  test.each(hookClients)('%s: a client that is about to prompt is left to it', async (client) => {
    const assent = await anAssent()
    expect(await ask(assent, client, 'PermissionRequest', {}, { holdMs: 0 })).toEqual({})
  })

  test.each(['bypassPermissions', 'dontAsk', 'auto', undefined, 'new-mode'])(
    'Claude Code in mode %s may have nobody to prompt, so it is told no, with the link',
    async (permission_mode) => {
      const assent = await anAssent()
      expect(await ask(assent, 'claude-code', 'PreToolUse', { permission_mode }, { holdMs: 0 })).toEqual(
        decided({
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringMatching(/waits for a person's yes.*\/elicit\//),
        }),
      )
    },
  )

  test('Codex cannot be made to prompt before a tool runs, so it is told no', async () => {
    const assent = await anAssent()
    const answered = await ask(assent, 'codex', 'PreToolUse', { permission_mode: 'default' }, { holdMs: 0 })
    expect(answered).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
  })

  test.each([
    { approvers: ['bob@https://login.example.com'] },
    { answer: 'page' },
    { answer: 'inbox' },
    { answer: 'passkey' },
    { approvers: ['group:leads'], quorum: 2 },
  ])('a rule that wants more than a yes in the client never ends in its prompt: %o', async (more) => {
    const options = withRule({ tool: 'Bash', decide: 'ask', ...more })
    const assent = await anAssent({ ...options, publicUrl: 'http://localhost:4180' })
    for (const event of ['PreToolUse', 'PermissionRequest'] as const) {
      const { hookSpecificOutput } = (await ask(assent, 'claude-code', event, {}, { holdMs: 0 })) as never as Written
      expect(hookSpecificOutput.permissionDecision ?? hookSpecificOutput.decision?.behavior).toBe('deny')
    }
  })

  test('a client that is gone spends no yes, even one that comes in the same moment', async () => {
    const assent = await anAssent()
    const leaves = new AbortController()
    const answeredAsItLeaves: Assent['wait'] = async (id) => {
      await answer(assent, { choice: 'allow_once' })
      leaves.abort()
      return getExisting(assent, id)
    }
    const late = { ...assent, wait: answeredAsItLeaves }
    expect(await ask(late, 'claude-code', 'PreToolUse', {}, { signal: leaves.signal })).not.toMatchObject(allowed)
    expect(await ask(assent, 'claude-code')).toMatchObject(allowed)

    const gone = new AbortController()
    const asked = ask(assent, 'claude-code', 'PreToolUse', {}, { signal: gone.signal })
    await question(assent)
    gone.abort()
    await asked
    await answer(assent, { choice: 'allow_once' })
    expect(await ask(assent, 'claude-code')).toMatchObject(allowed)
  })

  test('Codex is never left to itself where its prompt was meant', () => {
    const answered = writeAnswer({ client: 'codex', event: 'PreToolUse' }, { kind: 'ask', reason: 'Ask.' })
    expect(answered).toEqual(decided({ permissionDecision: 'deny', permissionDecisionReason: 'Ask.' }))
  })
})

interface Written {
  readonly hookSpecificOutput: {
    readonly permissionDecision?: string
    readonly decision?: { readonly behavior: string }
  }
}

describe('what fails is never an allow', () => {
  test.each(hookClients)('%s: a store that breaks', async (client) => {
    const assent = await anAssent(withRule({ tool: 'Bash', decide: 'allow' }))
    const broken = { ...assent, record: () => Promise.reject(new Error('disk full: /secret')) }
    const errors: unknown[] = []
    const told = await ask(broken, client, 'PreToolUse', {}, { onError: (error) => errors.push(error) })
    expect(told).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
    expect(JSON.stringify(told)).not.toContain('secret')
    expect(errors).toHaveLength(1)
    const permission = await ask(broken, client, 'PermissionRequest')
    expect(permission).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } })
  })

  test.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['a list', '[]'],
    ['no event', JSON.stringify({ tool_name: 'Bash', tool_input: {} })],
    ['no tool', hookInput('claude-code', 'PreToolUse', { tool_name: undefined })],
    ['an empty name', hookInput('claude-code', 'PreToolUse', { tool_name: '' })],
    ['arguments that are no object', hookInput('claude-code', 'PreToolUse', { tool_input: 'ls' })],
    ['half a character', hookInput('claude-code', 'PreToolUse', { tool_input: { command: '\ud800' } })],
  ])('input that cannot be read: %s', (_, text) => {
    expect(() => readHookCall('claude-code', text)).toThrow()
  })

  test('an event that is none of ours is told apart', () => {
    expect(() => readHookCall('codex', hookInput('codex', 'PostToolUse' as never))).toThrow(OtherEvent)
  })
})
