import { inBackground } from '../../base/under-way.ts'
import type { HubStore } from '../store.ts'
import type { Cursors } from './cursors.ts'
import type { Joined, Joining } from './joined.ts'

export interface CatchUpParts {
  readonly space: string
  readonly store: Pick<HubStore, 'get' | 'listFor'>
  readonly cursors: Cursors
}

const pageSize = 200

/** Delivers what was kept for one who was away. Everything after `upTo` was or will be handed to it by the reader. */
export async function catchUp(
  { space, store, cursors }: CatchUpParts,
  joined: Joined,
  after: Joining['after'],
  upTo: number,
): Promise<void> {
  const { id } = joined.member
  const told = after && (await store.get(space, after.from, after.id))
  let from = Math.max(await cursors.of(id), told?.seq ?? 0)
  while (from < upTo) {
    const page = await store.listFor(space, id, from, pageSize)
    for (const { text, seq } of page) if (seq <= upTo) joined.redeliver(Buffer.from(text), seq)
    from = page.length < pageSize ? upTo : (page.at(-1)?.seq ?? upTo)
  }
  const last = joined.caughtUp(from)
  // What one gets whose connection ended meanwhile, it gets again.
  if (joined.takesAtOnce()) inBackground(cursors.save(id, last))
}
