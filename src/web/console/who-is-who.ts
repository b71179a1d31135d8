import type { Pseudonym } from '../../audit/event.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { localParticipant } from '../../participant/participant.ts'
import type { AssentForWeb } from '../needs.ts'

const mostPeople = 100

/**
 * Whom pseudonyms of the audit stand for, of those people whose browsers were added last. They are looked up each time, so
 * that somebody who was forgotten is forgotten here too.
 */
export async function whoIsWho({
  store,
}: Pick<AssentForWeb, 'store'>): Promise<(who: Pseudonym | undefined) => ParticipantId | undefined> {
  const browsers = await store.browsers.listLatest(mostPeople)
  const people = [...new Set([localParticipant, ...browsers.map(({ participant }) => participant)])]
  const found = await Promise.all(
    people.map(async (person) => [await store.audit.findPseudonym(person), person] as const),
  )
  const names = new Map(found)
  return (who) => (who === undefined ? undefined : names.get(who))
}
