import type { HubStore } from '../store.ts'
import type { Joined } from './joined.ts'

/** Up to where participants received what was for them, for when they come back, here or at another instance. */
export interface Cursors {
  /** As it stands in the store now. */
  of(participant: string): Promise<number>
  save(participant: string, seq: number): Promise<void>
  /** Saves what those who joined here say that they received, where it is more than before. */
  saveMoved(joined: Iterable<Joined>): Promise<void>
}

export function keepCursors(space: string, store: HubStore): Cursors {
  const saved = new Map<string, number>()
  let reading: Promise<ReadonlyMap<string, number>> | undefined
  let next: Promise<ReadonlyMap<string, number>> | undefined

  /** Of many who ask while one reading is under way, all get the next one. */
  function read(): Promise<ReadonlyMap<string, number>> {
    if (reading === undefined) {
      reading = store.received(space).finally(() => {
        reading = undefined
      })
      return reading
    }
    next ??= reading
      .catch(() => {})
      .then(() => {
        next = undefined
        return read()
      })
    return next
  }

  async function saveAll(moved: ReadonlyMap<string, number>): Promise<void> {
    if (moved.size === 0) return
    await store.saveReceived(space, moved)
    for (const [participant, seq] of moved) saved.set(participant, seq)
  }

  const isMore = (participant: string, seq: number) => seq > (saved.get(participant) ?? 0)

  return {
    of: async (participant) => (await read()).get(participant) ?? 0,
    async save(participant, seq) {
      if (isMore(participant, seq)) await saveAll(new Map([[participant, seq]]))
    },
    saveMoved: (joined) =>
      saveAll(
        new Map(
          [...joined].flatMap((one) => {
            const seq = one.receivedUpTo()
            return isMore(one.member.id, seq) ? [[one.member.id, seq] as const] : []
          }),
        ),
      ),
  }
}
