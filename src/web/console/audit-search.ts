import type { AuditEvent, ChainId } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { ParticipantId } from '../../participant/participant.ts'

/** What an event must be to be found; what is left out may be anything. */
export interface AuditFilter {
  readonly kind?: string
  readonly person?: ParticipantId
  /** In its facts or in the id that it is about, whatever the case. */
  readonly text?: string
}

/** How far back a search has come, as the last number read of each chain. */
export type AuditPlace = ReadonlyMap<ChainId, number>

/** What one step of a search found. */
export interface AuditFound {
  /** Newest first. */
  readonly events: readonly AuditEvent[]
  /** How many events were looked at. */
  readonly searched: number
  /** Where the next step begins; absent: there is nothing older. */
  readonly next?: AuditPlace
}

type Audit = Pick<AuditStore, 'heads' | 'read' | 'findPseudonym'>

const mostChains = 50
/** Events that one step reads at most. */
const mostRead = 2_000
const mostFound = 50

/** Looks for events from the newest back, a limited number of them at a time. */
export async function searchAudit(audit: Audit, filter: AuditFilter, place?: AuditPlace): Promise<AuditFound> {
  const who = filter.person === undefined ? undefined : await audit.findPseudonym(filter.person)
  if (filter.person !== undefined && who === undefined) return { events: [], searched: 0 }
  const ends = await endsOf(audit, place)
  const each = Math.max(20, Math.floor(mostRead / Math.max(1, ends.length)))
  const windows = await Promise.all(
    ends.map(async ([chain, end]) => {
      const after = Math.max(0, end - each)
      const read = await audit.read(chain, after, end - after)
      return { chain, end, isAll: after === 0 || read.length < end - after, read }
    }),
  )
  // Older than this, some chain may have events that were not read.
  const from = Math.max(...windows.map(({ isAll, read }) => (isAll ? 0 : (read[0]?.at.getTime() ?? 0))), 0)
  const places = new Map(ends)
  const events: AuditEvent[] = []
  let searched = 0
  const newestFirst = windows
    .flatMap(({ read }) => read)
    .filter(({ at }) => at.getTime() >= from)
    .sort((one, other) => other.at.getTime() - one.at.getTime() || other.seq - one.seq)
  for (const event of newestFirst) {
    if (events.length === mostFound) break
    searched += 1
    places.set(event.chain, event.seq - 1)
    if (fits(event, filter) && (who === undefined || event.who === who)) events.push(event)
  }
  const isEnd = windows.every(({ isAll }) => isAll) && searched === newestFirst.length
  return { events, searched, ...(!isEnd && searched > 0 && { next: places }) }
}

async function endsOf(audit: Audit, place: AuditPlace | undefined): Promise<[ChainId, number][]> {
  if (place !== undefined) return [...place].filter(([, seq]) => seq > 0)
  return (await audit.heads(mostChains)).map(({ chain, seq }) => [chain, seq])
}

function fits({ kind, about, data }: AuditEvent, filter: AuditFilter): boolean {
  if (filter.kind !== undefined && kind !== filter.kind) return false
  if (filter.text === undefined) return true
  const text = filter.text.toLowerCase()
  return `${about ?? ''} ${JSON.stringify(data)}`.toLowerCase().includes(text)
}

/** A place as text for an address. */
export function writePlace(place: AuditPlace): string {
  return [...place].map(([chain, seq]) => `${chain}.${seq}`).join('~')
}

/** Undefined for what is no place. */
export function readPlace(text: string | undefined): AuditPlace | undefined {
  const parts = text === undefined || text === '' ? [] : text.split('~').slice(0, mostChains)
  const read = parts.map((part) => /^([\w-]{1,100})\.(\d{1,15})$/.exec(part))
  if (read.length === 0 || read.some((match) => match === null)) return undefined
  return new Map(read.flatMap((match) => (match === null ? [] : [[match[1] as ChainId, Number(match[2])] as const])))
}
