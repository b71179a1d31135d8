import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { type Standing, standingOf } from '../../approval/grant/covers.ts'
import type { Grant } from '../../approval/grant/grant.ts'
import { grantSentence } from '../../approval/grant/grant-sentence.ts'
import { type Explained, explain } from '../../approval/policy/explain.ts'
import type { Decision, Effect } from '../../approval/policy/policy.ts'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { parseParticipantId } from '../../participant/participant.ts'
import { readAddress } from '../../stores/open.ts'
import type { Config } from '../config/config.ts'
import { exitCodes } from '../errors.ts'
import { print } from '../print.ts'
import { configOf, withStore } from '../with-assent.ts'

export interface PolicyTestOptions {
  readonly as: string
  readonly client: string
  readonly group?: readonly string[]
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

/** A lasting yes or no that has to do with the call, and how it stands to it if the tool is as it was then. */
interface Matter {
  readonly id: string
  readonly standing: Standing
  readonly sentence: string
  readonly effect: Grant['effect']
}

interface Kept {
  readonly isPaused: boolean
  readonly grants: readonly Matter[]
}

/** Shows what a call would meet, and why. */
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
  const { server, tool, client, group = [], annotations, trusted } = given
  return {
    requester: { participant: parseParticipantId(given.as), client },
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
  try {
    const value: unknown = JSON.parse(text)
    if (isPlainObject(value)) return value as JsonObject
  } catch {
    // Said below, as for any other text that is no object.
  }
  throw new BadArgument(`${what} must be one JSON object, such as '{"path": "/tmp"}'.`)
}

/** A question about the policy makes no store where there is none. */
async function readKept(command: Command, { store }: Config, call: ToolCall, decision: Decision): Promise<Kept> {
  const address = readAddress(store)
  const isThere = address.kind === 'sqlite' ? existsSync(address.path) : address.kind !== 'memory'
  if (!isThere) return { isPaused: false, grants: [] }
  return withStore(command, async (assent) => {
    const now = assent.clock.now()
    const grants = await assent.store.grants.listFor(call.requester.participant, call.server, call.tool)
    const matters = grants.map((grant): Matter => {
      // Nobody knows here what the tool says of itself today.
      const { definition = '' } = grant
      const standing = standingOf(grant, { ...call, definition, serverDefinition: definition }, decision, now)
      return { id: grant.id, standing, sentence: grantSentence(grant, { now }), effect: grant.effect }
    })
    return { isPaused: await assent.approvals.isPaused(), grants: matters.filter(isAboutIt) }
  })
}

function isAboutIt({ standing }: Matter): boolean {
  return standing !== 'elsewhere'
}

/** In the order in which a call meets them. */
function outcome(
  decision: Decision,
  { isPaused, grants }: Kept,
): { readonly effect: Effect; readonly because: string } {
  if (isPaused) return { effect: 'deny', because: 'Everything is paused.' }
  if (decision.watched) return { effect: 'allow', because: `The policy only watches. ${decision.why.words}` }
  if (decision.decide === 'deny') return { effect: 'deny', because: decision.why.words }
  const covering = grants.filter(({ standing }) => standing === 'covers')
  const denial = covering.find(({ effect }) => effect === 'deny')
  if (denial !== undefined) return { effect: 'deny', because: `${denial.sentence} (${denial.id})` }
  const [yes] = covering
  if (decision.decide === 'ask' && yes !== undefined) {
    return { effect: 'allow', because: `${yes.sentence} (${yes.id}, if the tool is as it was then)` }
  }
  return { effect: decision.decide, because: decision.why.words }
}

const verdicts: Readonly<Record<Effect, string>> = {
  allow: 'It would run, and nobody would be asked.',
  ask: 'A person would be asked.',
  deny: 'It would be denied.',
}

function show(call: ToolCall, effect: Effect, because: string, { decision, rules }: Explained, kept: Kept): void {
  print(`${visibleLine(call.tool)} on ${visibleLine(call.server)}: ${effect}`)
  print(`  ${verdicts[effect]} ${visibleLine(because, 2_000)}`)
  if (effect === 'ask') {
    print(`  approvers  ${decision.approvers.join(', ')}`)
    print(`  answer     ${decision.answer}; ${decision.fallback} where a client cannot be asked`)
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

const standings: Readonly<Record<Standing, string>> = {
  covers: 'It covers this call, if the tool is as it was then.',
  elsewhere: 'It is about other calls.',
  revoked: 'It was revoked.',
  expired: 'Its time is over.',
  suspended: 'It is suspended: the tool is not what it was.',
  weak: 'It does not count: today the policy asks someone else, or on a page.',
  spent: 'It is spent.',
}
