import type { AuditEvent } from '../../audit/event.ts'
import { wordsOfEvent } from '../inbox/event-words.ts'
import type { AssentForWeb } from '../needs.ts'
import type { EventRow } from '../pages/console/events-table.ts'
import { personName } from '../viewer/person-name.ts'
import { whoIsWho } from './who-is-who.ts'

/** Events as rows for administrators. */
export async function rowsOfEvents(
  assent: Pick<AssentForWeb, 'store'>,
  events: readonly AuditEvent[],
): Promise<EventRow[]> {
  const nameOf = await whoIsWho(assent)
  return events.map(({ at, kind, who, about, data, chain, seq }) => {
    const person = nameOf(who)
    const name = person === undefined ? who?.slice(0, 8) : personName(person)
    return {
      at,
      kind,
      words: wordsOfEvent({ kind, data }, 'Somebody'),
      place: `${chain.slice(0, 8)} ${seq}`,
      data: JSON.stringify(data),
      ...(name !== undefined && { who: name }),
      ...(about !== undefined && { about }),
    }
  })
}
