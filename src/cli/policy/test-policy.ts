import type { Command } from 'commander'
import { type Standing, standingOf } from '../../approval/grant/covers.ts'
import type { Grant } from '../../approval/grant/grant.ts'
import { grantSentence } from '../../approval/grant/grant-sentence.ts'
import { type Explained, explain } from '../../approval/policy/explain.ts'
import type { Decision, Effect } from '../../approval/policy/policy.ts'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { argumentProblem } from '../../base/canonical.ts'
import { formatDuration } from '../../base/durations.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject, type JsonObject, parseJson } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { parseParticipantId } from '../../participant/participant.ts'
import type { Config } from '../config/config.ts'
import { exitCodes } from '../errors.ts'
import { print } from '../print.ts'
import { configOf, withStore } from '../with-assent.ts'
import { hasStore } from './kept-store.ts'

export interface PolicyTestOptions {
  readonly as: string
  readonly client: string
  readonly group?: readonly string[]
  readonly agent?: readonly string[]
  readonly annotations?: string
  readonly trusted?: true
  readonly expect?: Effect
  readonly json?: true
}

interface TestedCall extends PolicyTestOptions {
  readonly server: string
  readonly tool: string
  readonly arguments: string
}

/** A grant that concerns the call, and whether it covers the call as long as the tool's definition is unchanged. */
interface RelatedGrant {
  readonly id: string
  readonly standing: Standing
  readonly sentence: string
  readonly effect: Grant['effect']
}

interface Kept {
  readonly isPaused: boolean
  readonly grants: readonly RelatedGrant[]
}

/** Shows how the policy and the grants would decide on a call, and why. */
export async function testPolicy(command: Command, given: TestedCall): Promise<void> {
  const config = await configOf(command)
  const call = callFrom(given, config)
  const explained = explain(await readPolicy(config.policy), call)
  const kept = await readKept(command, config, call, explained.decision)
  const { effect, because } = outcome(explained.decision, kept)
  if (given.json) print(JSON.stringify({ effect, because, ...explained, ...kept }))
  else show(call, effect, because, explained, kept)
  const isGood = given.expect === undefined ? effect === 'allow' : effect === given.expect
  if (!isGood) process.exitCode = exitCodes.no
}

function callFrom(given: TestedCall, { servers }: Config): ToolCall {
  const { server, tool, client, group = [], agent = [], annotations, trusted } = given
  return {
    requester: { participant: parseParticipantId(given.as), client, ...(agent.length > 0 && { agents: agent }) },
    groups: group,
    server,
    tool,
    arguments: objectIn(given.arguments, 'The arguments'),
    definition: '',
    trusted: trusted ?? servers.get(server)?.trusted ?? false,
    ...(annotations !== undefined && { annotations: objectIn(annotations, '--annotations') }),
  }
}

function objectIn(text: string, what: string): JsonObject {
  const value = parsed(text)
  const problem = argumentProblem(value, what)
  if (problem !== undefined) throw new BadArgument(problem)
  if (isPlainObject(value)) return value as JsonObject
  throw new BadArgument(`${what} must be one JSON object, such as '{"path": "/tmp"}'.`)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Reads the store only if it exists: trying out a policy creates none. */
async function readKept(command: Command, config: Config, call: ToolCall, decision: Decision): Promise<Kept> {
  if (!hasStore(config)) return { isPaused: false, grants: [] }
  return withStore(command, async (assent) => {
    const now = assent.clock.now()
    const grants = await assent.store.grants.listFor(call.requester.participant, call.server, call.tool)
    const related = grants.map((grant): RelatedGrant => {
      // The tool's definition is not known here, so it is taken to be the one that the grant was given for.
      const { definition = '' } = grant
      const standing = standingOf(grant, { ...call, definition, serverDefinition: definition }, decision, now)
      return { id: grant.id, standing, sentence: grantSentence(grant, { now }), effect: grant.effect }
    })
    return { isPaused: await assent.approvals.isPaused(), grants: related.filter(concernsCall) }
  })
}

function concernsCall({ standing }: RelatedGrant): boolean {
  return standing !== 'elsewhere'
}

/** Checks in the order of a real call: pause, policy, grants. */
function outcome(
  decision: Decision,
  { isPaused, grants }: Kept,
): { readonly effect: Effect; readonly because: string } {
  if (isPaused) return { effect: 'deny', because: 'Assent is paused.' }
  if (decision.watched) return { effect: 'allow', because: `The policy is in watch mode. ${decision.why.words}` }
  if (decision.decide === 'deny') return { effect: 'deny', because: decision.why.words }
  const covering = grants.filter(({ standing }) => standing === 'covers')
  const denial = covering.find(({ effect }) => effect === 'deny')
  if (denial !== undefined) return { effect: 'deny', because: `${denial.sentence} (${denial.id})` }
  const [yes] = covering
  if (decision.decide === 'ask' && yes !== undefined) {
    return { effect: 'allow', because: `${yes.sentence} (${yes.id}, if the tool has not changed since)` }
  }
  return { effect: decision.decide, because: decision.why.words }
}

const verdicts: Readonly<Record<Effect, string>> = {
  allow: 'The call would run without asking.',
  ask: 'A person would be asked.',
  deny: 'The call would be denied.',
}

function show(call: ToolCall, effect: Effect, because: string, { decision, rules }: Explained, kept: Kept): void {
  print(`${visibleLine(call.tool)} on ${visibleLine(call.server)}: ${effect}`)
  print(`  ${verdicts[effect]} ${visibleLine(because, 2_000)}`)
  if (effect === 'ask') {
    print(`  approvers  ${decision.approvers.join(', ')}`)
    print(`  answer     ${decision.answer}; ${decision.fallback} where a client cannot be asked`)
    for (const line of votingLines(decision)) print(line)
    if (decision.editable.length > 0)
      print(`  editable   ${decision.editable.map((name) => visibleLine(name)).join(', ')}`)
  }
  if (rules.length > 0) print()
  for (const { rule, decide, decided, words } of rules) {
    print(`${decided ? '→' : ' '} rule ${rule} (${decide}): ${visibleLine(words, 2_000)}`)
  }
  if (kept.grants.length > 0) print()
  for (const { id, standing, sentence } of kept.grants) print(`  ${sentence} ${standings[standing]} (${id})`)
}

/** What the rule says of several approvers; nothing where it says nothing. */
function votingLines({ quorum, delegate, escalate, priority }: Explained['decision']): string[] {
  const steps = (escalate ?? []).map(({ afterMs, to }) => `${to.join(', ')} after ${formatDuration(afterMs)}`)
  return [
    ...(quorum === undefined ? [] : [`  quorum     ${quorum} different people, not the requester`]),
    ...(delegate === undefined ? [] : [`  delegate   to ${delegate === true ? 'anybody' : delegate.join(', ')}`]),
    ...(steps.length === 0 ? [] : [`  escalate   to ${steps.join('; ')}`]),
    ...(priority === undefined ? [] : [`  priority   ${priority}`]),
  ]
}

const standings: Readonly<Record<Standing, string>> = {
  covers: 'It covers this call, if the tool has not changed since.',
  elsewhere: 'It covers other calls.',
  revoked: 'It was revoked.',
  expired: 'It has expired.',
  suspended: 'It is suspended: the tool has changed since.',
  weak: 'It does not count: the policy now asks somebody else, or asks on a page.',
  spent: 'It was used up.',
}
