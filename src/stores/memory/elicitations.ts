import type { Answerer } from '../../elicitation/answering/answerers.ts'
import { type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import type { ElicitationStore } from '../../elicitation/store.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { requesterKey } from '../../participant/requester.ts'
import { forgottenParticipant } from '../rows/values.ts'
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
  const byUrgency = (one: Elicitation, other: Elicitation) =>
    one.expiresAt.getTime() - other.expiresAt.getTime() || order(one.id) - order(other.id)

  function openFor(answerers: readonly Answerer[]): Elicitation[] {
    const names = new Set<Answerer>(answerers)
    return openOnes().filter(({ answerers }) => answerers.anyOf.some((name) => names.has(name)))
  }

  /** The newest first. */
  function waitingFor(answerers: readonly Answerer[], moment: Date): Elicitation[] {
    const waiting = openFor(answerers).filter(({ expiresAt }) => expiresAt > moment)
    return waiting.sort((one, other) => order(other.id) - order(one.id))
  }

  /** The position before which a page of older questions begins. For an unknown id it is the end. */
  const placeOf = (after: ElicitationId | undefined) =>
    (after === undefined ? undefined : askedAs.get(after)) ?? Number.POSITIVE_INFINITY

  function pageOf(open: Elicitation[], limit: number, after: ElicitationId | undefined): Elicitation[] {
    const last = after && kept.get(after)
    const left = last === undefined ? open : open.filter((one) => byUrgency(one, last) > 0)
    return left.sort(byUrgency).slice(0, limit)
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
      kept.set(next.id, { ...before, version: next.version, state: next.state })
      if (isSettled(next) && !isSettled(before)) settle(next)
      watchers.notify(next.id)
      return true
    },
    async listOpen(answerers, limit, after) {
      return pageOf(openFor(answerers), limit, after)
    },
    async listRequesters(answerers, moment, limit, after) {
      const waiting = waitingFor(answerers, moment)
      const byRequester = new Map<string, { count: number; newest: Elicitation }>()
      for (const newest of waiting) {
        const requester = requesterKey(newest.requester)
        const known = byRequester.get(requester) ?? { count: 0, newest }
        byRequester.set(requester, { ...known, count: known.count + 1 })
      }
      const all = [...byRequester].map(([requester, open]) => ({ requester, ...open }))
      const before = placeOf(after)
      const requesters = all.filter(({ newest }) => order(newest.id) < before).slice(0, limit)
      return { total: waiting.length, requesters }
    },
    async listOpenOf(answerers, requester, moment, limit, after) {
      const before = placeOf(after)
      return waitingFor(answerers, moment)
        .filter((one) => requesterKey(one.requester) === requester && order(one.id) < before)
        .slice(0, limit)
    },
    async listAllOpen(limit, after) {
      return pageOf(openOnes(), limit, after)
    },
    async listDue(moment, limit) {
      const due = openOnes().filter(({ expiresAt }) => expiresAt <= moment)
      return pageOf(due, limit, undefined)
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
      for (const elicitation of all(settled)) kept.set(elicitation.id, withoutName(elicitation, participant))
      return mine.length
    },
  }
}

function ownersOf({ requester }: Elicitation): readonly [requester: string, participant: string] {
  return [`requester ${requesterKey(requester)}`, `participant ${requester.participant}`]
}

function latestKey({ requester, type }: Elicitation): string | undefined {
  return type === undefined ? undefined : JSON.stringify([requester.participant, type])
}

function sealingKey({ state }: Elicitation): string | undefined {
  return state.kind === 'answered' && 'sealed' in state.answer ? state.answer.sealed.key : undefined
}

function withoutName(elicitation: Elicitation, participant: ParticipantId): Elicitation {
  const { state } = elicitation
  if (state.kind !== 'answered' || state.by.participant !== participant) return elicitation
  return { ...elicitation, state: { ...state, by: { ...state.by, participant: forgottenParticipant } } }
}
