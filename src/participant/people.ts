import type { BrowserStore } from './browser.ts'
import type { Person } from './identify.ts'
import type { ParticipantId } from './participant.ts'

/**
 * People who were here before, as their browsers tell: those who signed in, with the groups that the login named last.
 * `issuer` is the login; absent where Assent does not know by itself who people are.
 */
export function peopleIn(browsers: Pick<BrowserStore, 'list'>, issuer?: string) {
  return {
    async find(name: string): Promise<Person | undefined> {
      if (name.startsWith('group:')) return undefined
      const last = (await browsers.list(name as ParticipantId)).filter(({ by }) => by === 'login').at(-1)
      return last && { participant: last.participant, groups: last.groups }
    },
    problemWith(name: string): string | undefined {
      if (issuer === undefined || name.startsWith('group:') || name.endsWith(`@${encodeURI(issuer)}`)) return undefined
      return `Nobody can sign in by that name. People of this login are written subject@${encodeURI(issuer)}.`
    },
  }
}

/** How many browsers are looked through. */
const mostBrowsers = 500

/** The people who signed in last, each once, with the groups that the login named then. */
export async function peopleSeen({ listLatest }: Pick<BrowserStore, 'listLatest'>): Promise<Person[]> {
  const seen = new Map<ParticipantId, Person>()
  for (const { by, participant, groups } of await listLatest(mostBrowsers)) {
    if (by === 'login' && !seen.has(participant)) seen.set(participant, { participant, groups })
  }
  return [...seen.values()]
}
