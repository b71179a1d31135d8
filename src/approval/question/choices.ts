import { behindText, clientText, nameText } from '../../base/text/names.ts'
import { delegateChoice, delegateField, delegates, saysNo } from '../../elicitation/answering/may-answer.ts'
import { reasonField } from '../../elicitation/elicitation.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import { localParticipant, type ParticipantId } from '../../participant/participant.ts'
import { agentsBehind, namedClient } from '../../participant/requester.ts'
import { wheresFor, whereWords } from '../grant/where/where.ts'
import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'

/** How much a lasting choice covers. */
export interface Reach {
  readonly scope: 'tool' | 'server'
  /** Only for arguments below a folder that the call shows: 1 for the nearest. Absent: for all arguments. */
  readonly level?: number
  readonly lasts: 'hour' | 'day' | 'revoked'
  readonly client: 'this' | 'all'
}

/** What an approver decides. */
export type Choice =
  | { readonly kind: 'allow_once' }
  | ({ readonly kind: 'always_allow' } & Reach)
  | { readonly kind: 'deny' }
  | ({ readonly kind: 'always_deny' } & Reach)
  | { readonly kind: typeof delegateChoice }

/** Where the choices are shown: a form in a client has room for few. */
export type ChoicePlace = 'form' | 'page'

const scopes = ['tool', 'server'] as const
const lengths = ['hour', 'day', 'revoked'] as const
const clients = ['this', 'all'] as const

/** Every reach there is, narrowest first: who is in a hurry meets the smallest first. */
const reaches: readonly Reach[] = scopes.flatMap((scope) =>
  clients.flatMap((client) => lengths.map((lasts) => ({ scope, lasts, client }))),
)

const shortForm = new Set([
  'tool/hour/this',
  'tool/day/this',
  'tool/revoked/this',
  'tool/revoked/all',
  'server/hour/this',
])

/** What this approver may choose, narrowest first. Never wider than they may answer for. */
export function choicesFor(call: ToolCall, decision: Decision, approver: ParticipantId, place: ChoicePlace): Choice[] {
  const isOwn = approver === call.requester.participant
  const fits = (reach: Reach) =>
    (place === 'page' || shortForm.has(reachText(reach))) &&
    (reach.scope === 'tool' || call.serverDefinition !== undefined) &&
    // "All of mine" is for the one whose clients they are.
    (reach.client === 'this' || isOwn)

  // Nobody knows for which calls a rule that failed would have asked, and a lasting yes would end a limit. What several
  // people allow, they allow once.
  const isForOne = decision.quorum === undefined
  const isPlain = decision.why.failed === undefined && decision.why.limited === undefined
  const mayLast = isPlain && decision.byHandler === undefined && isForOne
  // A lasting yes is for the agents that asked, never for all there are.
  const isForAgents = hasAgents(call.requester)
  const lasting = mayLast ? reaches.filter((reach) => fits(reach) && (reach.client === 'this' || !isForAgents)) : []
  return [
    { kind: 'allow_once' },
    ...(mayLast && place === 'page' ? patterns(call) : []),
    ...lasting.map((reach): Choice => ({ kind: 'always_allow', ...reach })),
    { kind: 'deny' },
    ...reaches
      .filter((reach) => isDenial(reach, place) && fits(reach))
      .map((reach): Choice => ({ kind: 'always_deny', ...reach })),
    ...(decision.delegate === undefined ? [] : [{ kind: delegateChoice } as const]),
  ]
}

/** What lasts for arguments below the folders that the call shows, the nearest first. */
function patterns(call: ToolCall): Choice[] {
  const hasPath = Object.values(call.arguments).some((value) => typeof value === 'string' && value.includes('/'))
  if (!hasPath) return []
  return wheresFor(call).flatMap((_, index) =>
    (['hour', 'revoked'] as const).map(
      (lasts): Choice => ({ kind: 'always_allow', scope: 'tool', level: index + 1, lasts, client: 'this' }),
    ),
  )
}

function hasAgents({ agents = [] }: ToolCall['requester']): boolean {
  return agents.length > 0
}

/** A choice as one word, for forms and the audit. */
export function choiceText(choice: Choice): string {
  return 'scope' in choice ? `${choice.kind}/${reachText(choice)}` : choice.kind
}

/** The choice that an accepted answer makes. Undefined: none that was offered, which is never a yes. */
export function readChoice(content: unknown, offered: readonly Choice[]): Choice | undefined {
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, 'choice')) return undefined
  const { choice } = content as { choice: unknown }
  return offered.find((one) => choiceText(one) === choice)
}

/** Whether a choice lets the call run. */
export function isYes({ kind }: Choice): boolean {
  return kind === 'allow_once' || kind === 'always_allow'
}

/** A no for an hour is hardly ever meant: it lasts until it is revoked. */
function isDenial({ scope, lasts, client }: Reach, place: ChoicePlace): boolean {
  return lasts === 'revoked' && (place === 'page' || (scope === 'tool' && client === 'this'))
}

function reachText({ scope, level, lasts, client }: Reach): string {
  return `${level === undefined ? scope : `below-${level}`}/${lasts}/${client}`
}

/** What an answer to an approval must fit. A no, or handing it on, needs no fields to edit. */
export function formForAnswer(schema: FormSchema, content: unknown): FormSchema {
  const isHandedOn = delegates(content)
  if (!saysNo(content) && !isHandedOn) return schema
  const isOfNo = (name: string) => name === 'choice' || name === reasonField || (isHandedOn && name === delegateField)
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => isOfNo(name))),
    required: isHandedOn ? ['choice', delegateField] : ['choice'],
  }
}

/** A choice in words for the approver, who may be someone else than the requester. */
export function choiceWords(choice: Choice, call: ToolCall, isOwn: boolean): string {
  switch (choice.kind) {
    case 'allow_once':
      return 'Allow once, with these arguments'
    case 'always_allow':
      return `Allow ${reachWords(choice, call, isOwn)}`
    case 'deny':
      return 'Deny'
    case 'always_deny':
      return `Deny ${reachWords(choice, call, isOwn)}`
    case 'delegate':
      return 'Hand it on to somebody else'
  }
}

/**
 * A choice in the few characters that clients show of one: its words without whom it covers, which `coverWords` says. Shorter
 * than 40 characters.
 */
export function choiceTitle(choice: Choice): string {
  switch (choice.kind) {
    case 'allow_once':
      return 'Allow once'
    case 'always_allow':
      return capital(shortReach(choice))
    case 'deny':
      return 'Deny'
    case 'always_deny':
      return `Deny ${shortReach(choice)}`
    case 'delegate':
      return 'Hand it on'
  }
}

function shortReach({ scope, level, lasts, client }: Reach): string {
  const tool = level === undefined ? 'this tool' : 'these folders'
  const what = scope === 'tool' ? tool : 'the whole server'
  return `${what}, ${shortLasts[lasts]}${client === 'all' ? ', any client' : ''}`
}

const shortLasts: Readonly<Record<Reach['lasts'], string>> = { hour: '1 hour', day: '1 day', revoked: 'until revoked' }

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Whom the lasting choices of a form cover, for the requester as the approver. */
export function coverWords({ requester }: Pick<ToolCall, 'requester'>): string {
  const whom = `What lasts is for ${thisWords(requester)}`
  return hasAgents(requester) ? `${whom}.` : `${whom}; "any client" is for ${allWords(requester, true)}.`
}

function reachWords({ scope, level, lasts, client }: Reach, call: ToolCall, isOwn: boolean): string {
  const { tool, server, requester } = call
  const where = level === undefined ? undefined : wheresFor(call)[level - 1]
  const which = where === undefined ? '' : ` ${whereWords(where, nameText)},`
  const what = scope === 'tool' ? `${nameText(tool)}${which}` : `every tool of ${nameText(server)}`
  const whose = client === 'this' ? thisWords(requester) : allWords(requester, isOwn)
  return `${what} ${lastsWords[lasts]}, for ${whose}`
}

/** The client that asks, with the agents for which it acts. */
function thisWords(requester: ToolCall['requester']): string {
  return clientText(namedClient(requester), 'this') + behindText(agentsBehind(requester))
}

/** All clients of the one who asks. Without a login these are all programs on this machine, in whichever way they connect. */
function allWords({ participant }: ToolCall['requester'], isOwn: boolean): string {
  if (participant === localParticipant) return 'every program on this machine, with or without a session'
  return isOwn ? 'all my clients' : 'all their clients'
}

const lastsWords: Readonly<Record<Reach['lasts'], string>> = {
  hour: 'for an hour',
  day: 'for a day',
  revoked: 'until revoked',
}
