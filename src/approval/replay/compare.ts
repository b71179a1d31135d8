import type { AuditStore } from '../../audit/store.ts'
import { giveWay } from '../../base/give-way.ts'
import type { Effect, Policy } from '../policy/policy.ts'
import { type RecordedCall, recordedCalls } from './recorded-calls.ts'
import { type Lack, namedParticipants, type Replayed, type ReplayFacts, replay } from './replay.ts'

/** What a policy would have decided on a recorded call; `unknown`: the audit does not have what would tell. */
export type ReplayOutcome = Effect | 'unknown'

/** One kind of change: calls of one tool that were decided one way, and would be decided another. */
export interface ReplayChange {
  readonly server: string
  readonly tool: string
  readonly was: Effect
  readonly now: ReplayOutcome
  calls: number
}

/** What a draft would have decided on the recorded calls. */
export interface Comparison {
  calls: number
  oldest: Date | undefined
  readonly counts: Record<Effect, Record<ReplayOutcome, number>>
  readonly lacks: Record<Lack, number>
  /** The most frequent first. */
  readonly changes: ReplayChange[]
}

/** In the order in which people read them. */
export const replayedEffects: readonly Effect[] = ['allow', 'ask', 'deny']
export const replayOutcomes: readonly ReplayOutcome[] = [...replayedEffects, 'unknown']

const callsAtOnce = 20

/** Decides every recorded call anew. */
export async function compare(
  audit: Pick<AuditStore, 'chains' | 'read' | 'findPseudonym'>,
  draft: Policy,
  isTrusted: ReplayFacts['isTrusted'],
  since: Date,
): Promise<Comparison> {
  const compared = emptyComparison()
  const changes = new Map<string, ReplayChange>()
  const facts = await factsFor(audit, draft, isTrusted)
  for await (const call of recordedCalls(audit, since)) {
    take(compared, changes, call, replay(draft, call, facts))
    // A draft may have many conditions, and the process has calls to serve meanwhile.
    if (compared.calls % callsAtOnce === 0) await giveWay()
  }
  compared.changes.push(...[...changes.values()].sort((one, other) => other.calls - one.calls))
  return compared
}

/** People are in the audit by pseudonyms; those whom the draft names are looked up. */
async function factsFor(
  audit: Pick<AuditStore, 'findPseudonym'>,
  draft: Policy,
  isTrusted: ReplayFacts['isTrusted'],
): Promise<ReplayFacts> {
  const known = await Promise.all(
    namedParticipants(draft).map(async (name) => [await audit.findPseudonym(name), name] as const),
  )
  const participants = new Map(known)
  return { isTrusted, participantOf: (who) => participants.get(who) }
}

export function emptyComparison(): Comparison {
  const zero = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
  return {
    calls: 0,
    oldest: undefined,
    counts: { allow: zero(replayOutcomes), ask: zero(replayOutcomes), deny: zero(replayOutcomes) },
    lacks: zero(['arguments', 'annotations', 'requester', 'usage']),
    changes: [],
  }
}

function take(compared: Comparison, changes: Map<string, ReplayChange>, call: RecordedCall, replayed: Replayed): void {
  const { server, tool, decided: was, at } = call
  const now = replayed.kind === 'decided' ? replayed.effect : 'unknown'
  compared.calls += 1
  if (compared.oldest === undefined || at < compared.oldest) compared.oldest = at
  compared.counts[was][now] += 1
  if (replayed.kind === 'unknown') for (const lack of replayed.lacks) compared.lacks[lack] += 1
  if (was === now) return
  const key = JSON.stringify([server, tool, was, now])
  const change = changes.get(key) ?? { server, tool, was, now, calls: 0 }
  change.calls += 1
  changes.set(key, change)
}
