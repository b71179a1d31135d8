import type { AuditEvent } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { ParticipantId } from '../../participant/participant.ts'

type Audit = Pick<AuditStore, 'heads' | 'read' | 'findPseudonym'>

/** An event that concerns a participant: they did it, or someone else did it to a record of theirs. */
export interface OwnEvent extends AuditEvent {
  /** Whether the participant did it. */
  readonly isOwn: boolean
}

const mostChains = 20
const mostRead = 5_000

/** Kinds of events whose record belongs to the one who did it. A refusal, for example, may name another's record. */
const owning = new Set(['question-asked', 'question-joined', 'question-answered', 'grant-made'])

/** Kinds recorded before the change is saved, so two processes that make the same change at once both record it. */
const recordedFirst = new Set(['grant-made', 'grant-revoked'])

/** The latest events that concern this participant, newest first. */
export async function ownEvents(audit: Audit, participant: ParticipantId, most: number): Promise<OwnEvent[]> {
  const who = await audit.findPseudonym(participant)
  if (who === undefined) return []
  const latest = await latestEvents(audit)
  const mine = latest.filter((event) => event.who === who)
  const theirs = new Set(mine.filter(({ kind }) => owning.has(kind)).flatMap(({ about }) => about ?? []))
  const concerning = latest.filter(
    (event) => event.who === who || (event.about !== undefined && theirs.has(event.about)),
  )
  return withoutRepeats(concerning)
    .slice(0, most)
    .map((event) => ({ ...event, isOwn: event.who === who }))
}

/** The last events of the chains that were written to last, newest first. */
async function latestEvents(audit: Audit): Promise<AuditEvent[]> {
  const heads = await audit.heads(mostChains)
  const each = Math.floor(mostRead / Math.max(1, heads.length))
  const ends = await Promise.all(heads.map(({ chain, seq }) => audit.read(chain, Math.max(0, seq - each), each)))
  return ends.flat().sort((one, other) => other.at.getTime() - one.at.getTime() || other.seq - one.seq)
}

/** One event for one change: of those that recorded the same change, the first. */
function withoutRepeats(newestFirst: readonly AuditEvent[]): AuditEvent[] {
  const seen = new Set<string>()
  const isFirst = ({ kind, about }: AuditEvent) => {
    if (!recordedFirst.has(kind) || about === undefined) return true
    const change = `${kind} ${about}`
    return !seen.has(change) && seen.add(change)
  }
  return newestFirst.toReversed().filter(isFirst).toReversed()
}
