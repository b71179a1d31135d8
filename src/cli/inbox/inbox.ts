import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { type Choice, choiceText, type Reach } from '../../approval/question/choices.ts'
import type { Assent } from '../../assent.ts'
import { BadArgument } from '../../base/errors.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { configOf, withAssent } from '../with-assent.ts'
import type { InboxItem } from './read.ts'

const examples = `
Answering needs a terminal with a person at it, and no option changes that: an answer from a script could be the
agent's own. (A program of the same user could still open a terminal for itself. An installation without a login
cannot prevent this; see docs/approvals.md.)
Where people sign in, a terminal cannot tell who uses it. Answer on the page /inbox instead.

Examples:
  assent inbox                              answer one question after the other, the newest of each client first
  assent inbox --watch                      and wait for more
  assent inbox --json                       list the questions, for scripts
  assent inbox allow 3f2a --once            an id, or the beginning of one
  assent inbox allow 3f2a 77c0              several, each shown in full before you confirm
  assent inbox allow 3f2a --always --for day --scope tool --client this
  assent inbox deny 3f2a --reason "not on a Friday"
  assent inbox delegate 3f2a group:leads    hand it on, where the rule lets you
  assent inbox withdraw 3f2a                take a question back that nobody needs answered any more`

interface ListOptions {
  readonly json?: true
  readonly watch?: true
}

interface AllowOptions {
  readonly once?: true
  readonly always?: true
  readonly scope: Reach['scope']
  readonly for: Reach['lasts']
  readonly client: Reach['client']
}

/** `assent inbox`: lists the questions for the local person, and answers them. */
export function addInboxCommands(program: Command): void {
  const inbox = program
    .command('inbox')
    .description('answer the questions that wait for you')
    .option('--json', 'list the questions as JSON, for scripts')
    .option('--watch', 'wait for more questions when all are answered')
    .addHelpText('after', examples)
    .action(async (options: ListOptions, command: Command) => {
      await refuseStrangers(command)
      await withAssent(command, (assent) => work(assent, options))
    })

  inbox
    .command('allow <ids...>')
    .description('allow the calls that these questions are about')
    .option('--once', 'allow this call only (the default)')
    .option('--always', 'allow similar calls too, as --scope, --for and --client say')
    .addOption(
      new Option('--scope <what>', 'with --always: calls of this tool, or of all tools of the server')
        .choices(['tool', 'server'])
        .default('tool'),
    )
    .addOption(
      new Option('--for <time>', 'with --always: how long; revoked means until you revoke it')
        .choices(['hour', 'day', 'revoked'])
        .default('hour'),
    )
    .addOption(
      new Option('--client <which>', 'with --always: calls of this client, or of all your clients')
        .choices(['this', 'all'])
        .default('this'),
    )
    .addHelpText(
      'after',
      `${together}\nExamples:\n  assent inbox allow 3f2a\n  assent inbox allow 3f2a 77c0\n  assent inbox allow 3f2a --always --for day`,
    )
    .action(async (ids: string[], options: AllowOptions, command: Command) => {
      if (options.once && options.always)
        throw new BadArgument('--once and --always contradict each other. Use one of them.')
      const { scope, for: lasts, client } = options
      await answerById(
        command,
        ids,
        options.always ? { kind: 'always_allow', scope, lasts, client } : { kind: 'allow_once' },
      )
    })

  inbox
    .command('deny <ids...>')
    .description('deny the calls that these questions are about')
    .option('--reason <words>', 'the reason, which the requester will see')
    .option('--always', 'deny all calls of this tool by this client, until you revoke it')
    .addHelpText('after', `${together}\nExample:\n  assent inbox deny 3f2a 77c0 --reason "not on a Friday"`)
    .action(async (ids: string[], { reason, always }: { reason?: string; always?: true }, command: Command) => {
      const choice: Choice = always
        ? { kind: 'always_deny', scope: 'tool', lasts: 'revoked', client: 'this' }
        : { kind: 'deny' }
      await answerById(command, ids, choice, reason)
    })

  inbox
    .command('delegate <id> <to>')
    .description('hand a question on to a person (subject@issuer) or a group (group:name), where the rule lets you')
    .addHelpText('after', '\nExample:\n  assent inbox delegate 3f2a group:leads')
    .action((id: string, to: string, _options: object, command: Command) =>
      atPerson(command, async (assent) => {
        const { findInInbox } = await import('./read.ts')
        const { answeredWords, delegateTo } = await import('./answer.ts')
        const found = await findInInbox(assent, id)
        if (found?.approval === undefined) return no('No open approval has this id. See: assent inbox')
        const answered = await delegateTo(assent, found, to)
        if (answered.kind === 'invalid') return no(answered.errors.map(({ message }) => message).join(' '))
        print(answeredWords(answered, { kind: 'delegate' }, found.approval))
        if (answered.kind === 'late') process.exitCode = exitCodes.no
      }),
    )

  inbox
    .command('withdraw <id>')
    .description('take a question back that nobody needs answered any more')
    .addHelpText('after', '\nExample:\n  assent inbox withdraw 3f2a')
    .action((id: string, _options: object, command: Command) => withdrawById(command, id))
}

/** Takes a question back for the one who asked it. It says neither yes nor no, so a script may do it too. */
async function withdrawById(command: Command, id: string): Promise<void> {
  await refuseStrangers(command)
  await withAssent(command, async (assent) => {
    const { findInInbox } = await import('./read.ts')
    const found = await findInInbox(assent, id)
    if (found === undefined) return no('No open question has this id. See: assent inbox')
    const { state } = await assent.withdraw(found.asked.id, found.asked.requester, 'withdrawn at the terminal')
    if (state.kind !== 'withdrawn') return no('The question was settled before.')
    print('The question is withdrawn. Its call does not run.')
  })
}

async function refuseStrangers(command: Command): Promise<void> {
  const { refuseStrangers } = await import('./read.ts')
  refuseStrangers(await configOf(command))
}

/** Ctrl-C ends the command, also while no question is open. */
async function work(assent: Assent, { json, watch }: ListOptions): Promise<void> {
  const { asJson, readInbox } = await import('./read.ts')
  if (json && !watch) return print(JSON.stringify((await readInbox(assent)).map(asJson)))
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  if (isPerson() && !json) {
    const { answerInbox } = await import('./dialogue.ts')
    const { stdin: input, stdout: output, env } = process
    return answerInbox(assent, { input, output, env, watch: watch === true, signal: stop.signal })
  }
  await list(assent, { json: json === true, watch: watch === true, signal: stop.signal })
}

/** Lists the questions. Without a terminal nothing can be answered. */
async function list(
  assent: Assent,
  { json, watch, signal }: { readonly json: boolean; readonly watch: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { asJson, readClients } = await import('./read.ts')
  const { showClient, showWaiting } = await import('./show.ts')
  const { Screen } = await import('../../client/terminal/screen.ts')
  const screen = new Screen(process.stdout, process.env)
  const told = new Set<string>()
  for (;;) {
    const clients = (await readClients(assent)).map((items) => items.filter(({ asked }) => !told.has(asked.id)))
    const fresh = clients.flat()
    for (const items of clients.filter(({ length }) => length > 0)) {
      if (!json && items.length < fresh.length) showClient(screen, items)
      for (const one of items) {
        told.add(one.asked.id)
        if (json) print(JSON.stringify(asJson(one)))
        else showWaiting(screen, one, assent.clock.now())
      }
    }
    if (!watch) {
      return print(fresh.length === 0 ? 'No question waits for you.' : '\nTo answer, run this in a terminal.')
    }
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
  }
}

const lookEveryMs = 1_000

function isPerson(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true
}

/** Runs something that only a person may do, who sits at a terminal. */
async function atPerson(command: Command, work: (assent: Assent) => Promise<void>): Promise<void> {
  await refuseStrangers(command)
  if (!isPerson()) {
    throw new BadArgument(
      'Answering needs a terminal with a person at it. Run this in a terminal, or answer on the page.',
    )
  }
  await withAssent(command, work)
}

function answerById(command: Command, ids: readonly string[], choice: Choice, reason?: string): Promise<void> {
  return atPerson(command, async (assent) => {
    const { findInInbox } = await import('./read.ts')
    const found = new Map<string, InboxItem>()
    for (const id of new Set(ids)) {
      const one = await findInInbox(assent, id)
      if (one === undefined) no(ids.length === 1 ? unknownId : `${id}: ${unknownId}`)
      else found.set(one.asked.id, one)
    }
    const [first, ...more] = found.values()
    if (first === undefined) return
    if (ids.length === 1) return answer(assent, first, choice, reason)
    const { confirmTogether } = await import('./several.ts')
    const { stdin: input, stdout: output, env } = process
    const isDone = await confirmTogether(assent, { input, output, env }, [first, ...more], { choice, reason })
    if (!isDone) process.exitCode = exitCodes.no
  })
}

const unknownId = 'No open question has this id. See: assent inbox'

const together =
  '\nSeveral are shown in full, one after the other, and answered when you have confirmed it. Each is answered on its own:\nwhat changed meanwhile, what must be signed and what can be edited is left out of a yes, and named.\n'

async function answer(assent: Assent, one: InboxItem, choice: Choice, reason: string | undefined): Promise<void> {
  const { approval } = one
  if (approval === undefined) {
    return no(`This question cannot be answered by yes or no. Use \`assent inbox\`, or its page: ${one.link}`)
  }
  if (!approval.choices.some((offered) => choiceText(offered) === choiceText(choice))) {
    return no('The policy does not offer that answer for this question. See the choices: assent inbox')
  }
  const { showWaiting } = await import('./show.ts')
  const { Screen } = await import('../../client/terminal/screen.ts')
  const { answeredWords, answerWith } = await import('./answer.ts')
  showWaiting(new Screen(process.stdout, process.env), one, assent.clock.now())
  const answered = await answerWith(assent, one, choice, reason === undefined ? {} : { reason })
  if (answered.kind === 'invalid') return no(answered.errors.map(({ message }) => message).join(' '))
  print(answeredWords(answered, choice, approval))
  if (answered.kind === 'late') process.exitCode = exitCodes.no
}

function no(words: string): void {
  complain(words)
  process.exitCode = exitCodes.no
}
