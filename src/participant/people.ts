import type { BrowserStore } from './browser.ts'
import type { Person } from './identify.ts'
import type { ParticipantId } from './participant.ts'

/** People who were here before, as their browsers tell: those who signed in, with the groups that the login named last. */
export function peopleIn(browsers: Pick<BrowserStore, 'list'>) {
  return {
    async find(name: string): Promise<Person | undefined> {
      if (name.startsWith('group:')) return undefined
      const last = (await browsers.list(name as ParticipantId)).filter(({ by }) => by === 'login').at(-1)
      return last && { participant: last.participant, groups: last.groups }
    },
  }
}
