import type { Appended, Appending, HubStore, KeptEnvelope, NewEnvelope } from '../../hub/store.ts'

type Key = Pick<NewEnvelope, 'space' | 'from' | 'id'>
const keyOf = ({ space, from, id }: Key) => JSON.stringify([space, from, id])

/** Keeps the envelopes of spaces in memory. */
export function memoryHub(): HubStore {
  // By key, in the order of `seq`: what gets a new number is put in anew.
  const kept = new Map<string, KeptEnvelope>()
  const cursors = new Map<string, Map<string, number>>()
  let last = 0

  const of = (space: string) => [...kept.values()].filter((envelope) => envelope.space === space)

  function add({ envelope, answers, handedTo = [] }: Appending): Appended {
    const key = keyOf(envelope)
    const known = kept.get(key)
    if (known !== undefined) return { kind: 'known', digest: known.digest, state: known.state }
    if (answers !== undefined) {
      const { from, id, stops } = answers
      const closed = change({ space: envelope.space, from, id }, { open: null, ...(stops && { state: 'stopped' }) })
      if (closed === undefined) return { kind: 'answered' }
    }
    last += 1
    kept.set(key, structuredClone({ ...envelope, seq: last }))
    advance(envelope.space, new Map(handedTo.map((participant) => [participant, last])))
    return { kind: 'added', seq: last }
  }

  function change(key: Key, { open, ...rest }: Parameters<HubStore['change']>[1]): number | undefined {
    const before = kept.get(keyOf(key))
    if (before?.open === undefined || (rest.state === 'sent' && before.state === 'sent')) return undefined
    const { open: openBefore, ...others } = before
    const isReleased = rest.state === 'sent'
    if (isReleased) last += 1
    const openNow = open === undefined ? openBefore : open
    const next = { ...others, ...rest, ...(isReleased && { seq: last }), ...(openNow && { open: openNow }) }
    if (isReleased) kept.delete(keyOf(key))
    kept.set(keyOf(key), structuredClone(next))
    return next.seq
  }

  function advance(space: string, received: ReadonlyMap<string, number>): void {
    const before = cursors.get(space) ?? new Map<string, number>()
    for (const [participant, seq] of received) before.set(participant, Math.max(seq, before.get(participant) ?? 0))
    cursors.set(space, before)
  }

  return {
    append: async (batch) => batch.map(add),
    change: async (key, to) => change(key, to),
    listOpen: async (space, limit) =>
      structuredClone(
        of(space)
          .filter(({ open }) => open !== undefined)
          .slice(0, limit),
      ),
    listSince: async (space, after, limit) =>
      structuredClone(
        of(space)
          .filter(({ seq, state }) => seq > after && state !== 'stopped')
          .slice(0, limit),
      ),
    listFor: async (space, participant, after, limit) =>
      structuredClone(
        of(space)
          .filter(({ seq, state, to }) => seq > after && state === 'sent' && to.includes(participant))
          .slice(0, limit),
      ),
    history: async (space, limit, before = Number.POSITIVE_INFINITY, participant) =>
      structuredClone(
        of(space)
          .filter(({ seq, state }) => state === 'sent' && seq < before)
          .filter(
            ({ from, to }) =>
              participant === undefined || from === participant || to.length === 0 || to.includes(participant),
          )
          .reverse()
          .slice(0, limit),
      ),
    get: async (space, from, id) => structuredClone(kept.get(keyOf({ space, from, id }))),
    received: async (space) => new Map(cursors.get(space)),
    saveReceived: async (space, received) => advance(space, received),
    async deleteEnvelopes(space, moment, limit) {
      const old = of(space).filter(({ at, open }) => at < moment && open === undefined)
      for (const envelope of old.slice(0, limit)) kept.delete(keyOf(envelope))
      return Math.min(old.length, limit)
    },
  }
}
