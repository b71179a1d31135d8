import type { Person } from '../participant/identify.ts'
import { answererNames } from './answering/may-answer.ts'
import type { Desk } from './desk.ts'
import type { Elicitation, ElicitationId } from './elicitation.ts'
import type { OpenRequesters } from './store.ts'

const pageSize = 200

type NextPage = (limit: number, after: ElicitationId | undefined) => Promise<Elicitation[]>

/**
 * What waits for this person, most urgent first: by priority, then the question that expires soonest. A question whose time is over is left
 * out, although an answer that is already on its way would still count for some seconds. Give the last id of one page as
 * `after` to get the next.
 */
export async function listOpen(
  { store, clock }: Pick<Desk, 'store' | 'clock'>,
  person: Person,
  limit: number,
  after?: ElicitationId,
): Promise<Elicitation[]> {
  const names = answererNames(person)
  const now = clock.now()
  const found: Elicitation[] = []
  for await (const open of pagesOf((size, last) => store.listOpen(names, size, last), after)) {
    if (found.length >= limit) break
    if (open.expiresAt > now) found.push(open)
  }
  return found
}

/** Who asks this person, the one with the most urgent question first. Give the id of the last `first` as `after` to get more. */
export function listRequesters(
  { store, clock }: Pick<Desk, 'store' | 'clock'>,
  person: Person,
  limit: number,
  after?: ElicitationId,
): Promise<OpenRequesters> {
  return store.listRequesters(answererNames(person), clock.now(), limit, after)
}

/** What one requester asks this person, by priority, then the newest first. */
export function listOpenOf(
  { store, clock }: Pick<Desk, 'store' | 'clock'>,
  person: Person,
  requester: string,
  limit: number,
  after?: ElicitationId,
): Promise<Elicitation[]> {
  return store.listOpenOf(answererNames(person), requester, clock.now(), limit, after)
}

/** Every open question of everybody, most urgent first. Questions may be settled while they are read. */
export function allOpen({ store }: Pick<Desk, 'store'>): AsyncIterable<Elicitation> {
  return pagesOf((size, last) => store.listAllOpen(size, last))
}

async function* pagesOf(next: NextPage, after?: ElicitationId): AsyncGenerator<Elicitation> {
  let last = after
  for (;;) {
    const page = await next(pageSize, last)
    yield* page
    if (page.length < pageSize) return
    last = page.at(-1)?.id
  }
}
