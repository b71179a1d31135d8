import type { OpenRequest } from '../routing/open-requests.ts'
import { requestFrom, standOf } from '../routing/open-requests.ts'
import type { SpaceDesk } from '../space/desk.ts'
import type { Peers } from './peers.ts'

const mostOpen = 100_000

export interface AdoptParts {
  readonly desk: SpaceDesk
  readonly peers: Pick<Peers, 'id' | 'isRunning' | 'isFirst'>
  /** Goes on with a request that nobody looks after any more. */
  resume(request: OpenRequest): void
}

/** Learns of every request that is open, so that answers find theirs. */
export async function loadOpen({ name, assent, requests }: SpaceDesk): Promise<void> {
  for (const kept of await assent.store.hub.listOpen(name, mostOpen)) {
    if (requests.byEnvelope(kept.from, kept.id) === undefined) requests.add(requestFrom(kept))
  }
}

/**
 * Looks after the requests of instances that are gone. Should two instances do so at once, or one that was only slow come
 * back, nothing happens twice: the store lets a request be released and answered once.
 */
export async function adoptRequests({ desk, peers, resume }: AdoptParts): Promise<void> {
  // Without an owner it was kept where nobody shared the store, or by a version before.
  const isOrphan = ({ details: { owner } }: Pick<OpenRequest, 'details'>) =>
    owner === undefined || !peers.isRunning(owner)
  if (!peers.isFirst() || ![...desk.requests.all()].some(isOrphan)) return
  for (const kept of await desk.assent.store.hub.listOpen(desk.name, mostOpen)) {
    const stand = standOf(kept)
    const request = desk.requests.byEnvelope(kept.from, kept.id)
    if (request === undefined || !isOrphan(stand)) continue
    Object.assign(request, stand)
    if (peers.id === undefined || (await desk.keepDetails(request, { ...stand.details, owner: peers.id }))) {
      resume(request)
    }
  }
}
