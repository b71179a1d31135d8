import type { AuditEvent } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { ParticipantId } from '../../participant/participant.ts'

type Audit = Pick<AuditStore, 'heads' | 'read' | 'findPseudonym'>

/** An event that concerns someone: their own doing, or what others did to what is theirs. */
export interface OwnEvent extends AuditEvent {
  readonly isOwn: boolean
}

const mostChains = 20
const mostRead = 5_000

/** What is recorded of these shows that its record is theirs; a refusal, say, names a record that is not. */
const owning = new Set(['question-asked', 'question-joined', 'question-answered', 'grant-made'])

/** The end of the audit, newest first: the last events of the chains that were written last. */
async function latestEvents(audit: Audit): Promise<AuditEvent[]> {
  const heads = await audit.heads(mostChains)
  const each = Math.floor(mostRead / Math.max(1, heads.length))
  const ends = await Promise.all(heads.map(({ chain, seq }) => audit.read(chain, Math.max(0, seq - each), each)))
  return ends.flat().sort((one, other) => other.at.getTime() - one.at.getTime() || other.seq - one.seq)
}

/** Of the latest events those that concern this participant, newest first. */
export async function ownEvents(audit: Audit, participant: ParticipantId, most: number): Promise<OwnEvent[]> {
  const who = await audit.findPseudonym(participant)
  if (who === undefined) return []
  const latest = await latestEvents(audit)
  const mine = latest.filter((event) => event.who === who)
  const theirs = new Set(mine.filter(({ kind }) => owning.has(kind)).flatMap(({ about }) => about ?? []))
  return latest
    .filter((event) => event.who === who || (event.about !== undefined && theirs.has(event.about)))
    .slice(0, most)
    .map((event) => ({ ...event, isOwn: event.who === who }))
}
