import type { Answerer } from '../../elicitation/answering/answerers.ts'
import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import { type Elicitation, type ElicitationId, isSettled, urgencyOf } from '../../elicitation/elicitation.ts'
import type { ElicitationStore } from '../../elicitation/store.ts'
import type { Voting } from '../../elicitation/voting/voting.ts'
import { answerersNow, nextEscalation } from '../../elicitation/voting/voting.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { requesterKey } from '../../participant/requester.ts'
import { fromVotingText, namesInVoting, toVotingText } from '../rows/elicitation.ts'
import type { Watchers } from '../watchers.ts'

/** Stores elicitations in memory. */
export function memoryElicitations(watchers: Watchers): ElicitationStore {
  const kept = new Map<ElicitationId, Elicitation>()
  const askedAs = new Map<ElicitationId, number>()
  // In the order in which they were settled.
  const settled = new Set<ElicitationId>()
  const openByIdentity = new Map<string, ElicitationId>()
  /** By requester and by participant. */
  const openOf = new Map<string, Set<ElicitationId>>()
  const latest = new Map<string, ElicitationId>()

  let asked = 0

  const all = (ids: Iterable<ElicitationId>) => [...ids].flatMap((id) => kept.get(id) ?? [])
  const openBy = (key: string) => openOf.get(key) ?? new Set<ElicitationId>()
  const openOnes = () => all(openByIdentity.values())
  const order = (id: ElicitationId) => askedAs.get(id) ?? 0
  const byExpiry = (one: Elicitation, other: Elicitation) =>
    one.expiresAt.getTime() - other.expiresAt.getTime() || order(one.id) - order(other.id)
  const byPriority = (one: Elicitation, other: Elicitation) => urgencyOf(one) - urgencyOf(other) || byExpiry(one, other)
  /** Most urgent first, then the newest. */
  const byNewest = (one: Elicitation, other: Elicitation) =>
    urgencyOf(one) - urgencyOf(other) || order(other.id) - order(one.id)

  function openFor(answerers: readonly Answerer[], open = openOnes()): Elicitation[] {
    const names = new Set<Answerer>(answerers)
    const isTheirs = (name: Answerer) => names.has(name)
    // Most are asked of those who were asked first.
    return open.filter((one) => one.answerers.anyOf.some(isTheirs) || answerersNow(one).some(isTheirs))
  }

  function waitingFor(answerers: readonly Answerer[], moment: Date, open?: Elicitation[]): Elicitation[] {
    const waiting = openFor(answerers, open).filter(({ expiresAt }) => expiresAt > moment)
    return waiting.sort(byNewest)
  }

  /** Whether a question comes on the page that begins after this one. For an unknown id it is the first page. */
  function isPast(after: ElicitationId | undefined): (one: Elicitation) => boolean {
    const last = after && kept.get(after)
    return (one) => last === undefined || byNewest(last, one) < 0
  }

  type Order = (one: Elicitation, other: Elicitation) => number

  function pageOf(open: Elicitation[], order: Order, limit: number, after?: ElicitationId): Elicitation[] {
    const last = after && kept.get(after)
    const left = last === undefined ? open : open.filter((one) => order(one, last) > 0)
    return left.sort(order).slice(0, limit)
  }

  function close(elicitation: Elicitation): void {
    if (openByIdentity.get(elicitation.identity) === elicitation.id) openByIdentity.delete(elicitation.identity)
    for (const key of ownersOf(elicitation)) {
      openOf.get(key)?.delete(elicitation.id)
      if (openOf.get(key)?.size === 0) openOf.delete(key)
    }
  }

  function settle(elicitation: Elicitation): void {
    close(elicitation)
    settled.add(elicitation.id)
    const key = latestKey(elicitation)
    if (elicitation.state.kind === 'answered' && key !== undefined) latest.set(key, elicitation.id)
  }

  function remove(elicitation: Elicitation): void {
    close(elicitation)
    kept.delete(elicitation.id)
    askedAs.delete(elicitation.id)
    settled.delete(elicitation.id)
    const key = latestKey(elicitation)
    if (key !== undefined && latest.get(key) === elicitation.id) latest.delete(key)
  }

  return {
    async add(elicitation, limits) {
      const joined = openByIdentity.get(elicitation.identity)
      if (joined !== undefined) return { kind: 'joined', elicitation: kept.get(joined) as Elicitation }
      const [requester, participant] = ownersOf(elicitation)
      if (openBy(requester).size >= limits.requester) return { kind: 'full', of: 'requester' }
      if (openBy(participant).size >= limits.participant) return { kind: 'full', of: 'participant' }

      kept.set(elicitation.id, elicitation)
      askedAs.set(elicitation.id, ++asked)
      openByIdentity.set(elicitation.identity, elicitation.id)
      for (const key of [requester, participant]) openOf.set(key, openBy(key).add(elicitation.id))
      return { kind: 'added' }
    },
    async get(id) {
      return kept.get(id)
    },
    async saveIfUnchanged(next) {
      const before = kept.get(next.id)
      if (before?.version !== next.version - 1) return false
      const { version, state, voting } = next
      kept.set(next.id, { ...before, version, state, ...(voting && { voting }) })
      if (isSettled(next) && !isSettled(before)) settle(next)
      watchers.notify(next.id)
      return true
    },
    async listOpen(answerers, limit, after) {
      return pageOf(openFor(answerers), byPriority, limit, after)
    },
    async listRequesters(answerers, moment, limit, after) {
      const waiting = waitingFor(answerers, moment)
      const byRequester = new Map<string, { count: number; first: Elicitation }>()
      for (const first of waiting) {
        const requester = requesterKey(first.requester)
        const known = byRequester.get(requester) ?? { count: 0, first }
        byRequester.set(requester, { ...known, count: known.count + 1 })
      }
      const all = [...byRequester].map(([requester, open]) => ({ requester, ...open }))
      const isLater = isPast(after)
      const requesters = all.filter(({ first }) => isLater(first)).slice(0, limit)
      return { total: waiting.length, requesters }
    },
    async listOpenOf(answerers, requester, moment, limit, after) {
      const isLater = isPast(after)
      return waitingFor(answerers, moment, all(openBy(requesterOwner(requester))))
        .filter(isLater)
        .slice(0, limit)
    },
    async listAllOpen(limit, after) {
      return pageOf(openOnes(), byExpiry, limit, after)
    },
    async listDue(moment, limit) {
      const due = openOnes().filter(({ expiresAt }) => expiresAt <= moment)
      return pageOf(due, byExpiry, limit)
    },
    async listEscalating(moment, limit) {
      const next = (one: Elicitation) => nextEscalation(one)?.getTime() ?? Number.POSITIVE_INFINITY
      const due = openOnes().filter((one) => next(one) <= moment.getTime())
      return due.sort((one, other) => next(one) - next(other)).slice(0, limit)
    },
    async latestAnswered(participant, type) {
      const id = latest.get(JSON.stringify([participant, type]))
      return id && kept.get(id)
    },
    async listSealedExcept(key, limit) {
      return all(settled)
        .filter((elicitation) => ![undefined, key].includes(sealingKey(elicitation)))
        .slice(0, limit)
    },
    async sealingKeys() {
      return [...new Set(all(settled).flatMap((elicitation) => sealingKey(elicitation) ?? []))]
    },
    async deleteSettled(moment, limit) {
      const found = new Set(latest.values())
      const old = all(settled).filter(({ id, state }) => 'at' in state && state.at < moment && !found.has(id))
      for (const elicitation of old.slice(0, limit)) remove(elicitation)
      return Math.min(old.length, limit)
    },
    async forget(participant) {
      const mine = all(kept.keys()).filter(({ requester }) => requester.participant === participant)
      for (const elicitation of mine) {
        remove(elicitation)
        watchers.notify(elicitation.id)
      }
      for (const elicitation of all(kept.keys())) kept.set(elicitation.id, withoutName(elicitation, participant))
      return mine.length
    },
  }
}

function ownersOf({ requester }: Elicitation): readonly [requester: string, participant: string] {
  return [requesterOwner(requesterKey(requester)), `participant ${requester.participant}`]
}

const requesterOwner = (key: string) => `requester ${key}`

function latestKey({ requester, type }: Elicitation): string | undefined {
  return type === undefined ? undefined : JSON.stringify([requester.participant, type])
}

function sealingKey({ state }: Elicitation): string | undefined {
  return state.kind === 'answered' && 'sealed' in state.answer ? state.answer.sealed.key : undefined
}

function withoutName(elicitation: Elicitation, participant: ParticipantId): Elicitation {
  const { state } = elicitation
  const voting = votingWithout(elicitation.voting, participant)
  // A new version, so that a save of what was read before does not bring the name back.
  const unnamed = voting === undefined ? elicitation : { ...elicitation, version: elicitation.version + 1, voting }
  if (state.kind !== 'answered' || state.by.participant !== participant) return unnamed
  return { ...unnamed, state: { ...state, by: { ...state.by, participant: forgottenParticipant } } }
}

/** By the text that the other stores keep, so that all forget the same. Undefined: they are not named there. */
function votingWithout(voting: Voting | undefined, participant: ParticipantId): Voting | undefined {
  const text = toVotingText(voting)
  if (text === null) return undefined
  const without = namesInVoting(participant).reduce((left, [name, other]) => left.replaceAll(name, other), text)
  return without === text ? undefined : fromVotingText(without)
}
