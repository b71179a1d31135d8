import { access, type Renew } from './access.ts'
import { begin } from './begin.ts'
import { complete } from './complete.ts'
import type { Connections } from './connections.ts'
import type { ConnectionDesk } from './desk.ts'
import { disconnect } from './disconnect.ts'
import { keepKey } from './keep-key.ts'
import { list } from './list.ts'
import { type Renewal, refresh } from './refresh.ts'
import { rejected } from './rejected.ts'

/** Binds the room to its desk. */
export function createConnections(desk: ConnectionDesk): Connections {
  const renew = onceAtATime(desk)
  return {
    providers: desk.providers,
    access: (participant, provider, scopes) => access(desk, renew, participant, provider, scopes),
    rejected: (ready) => rejected(desk, ready),
    begin: (beginning) => begin(desk, beginning),
    complete: (returning) => complete(desk, returning),
    keepKey: (beginning, key) => keepKey(desk, beginning, key),
    list: (participant) => list(desk, participant),
    disconnect: (participant, provider) => disconnect(desk, participant, provider),
  }
}

/** Whoever wants a connection renewed while that is under way gets what comes of it. */
function onceAtATime(desk: ConnectionDesk): Renew {
  const underWay = new Map<string, Promise<Renewal>>()
  return (consent, due) => {
    const joined = underWay.get(due.id)
    if (joined !== undefined) return joined
    const renewal = refresh(desk, consent, due).finally(() => underWay.delete(due.id))
    underWay.set(due.id, renewal)
    return renewal
  }
}
