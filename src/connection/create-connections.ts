import { createEvents } from '../base/events.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { access, type Renew } from './access.ts'
import type { AccountChanged, Connections, KeyKept } from './connections.ts'
import { type Renewal, refresh } from './credential/refresh.ts'
import { rejected } from './credential/rejected.ts'
import type { ConnectionDesk } from './desk.ts'
import { disconnect } from './disconnect.ts'
import { beginConnect } from './flow/begin.ts'
import { complete } from './flow/complete.ts'
import { keepKey } from './flow/keep-key.ts'
import { list } from './list.ts'

/** Binds the functions of this folder to a desk. */
export function createConnections(desk: ConnectionDesk): Connections {
  const renew = shareRenewals(desk)
  const events = createEvents<AccountChanged>()
  const reportIfConnected = <End extends KeyKept>(participant: ParticipantId, end: End): End => {
    if (end.kind === 'connected' || end.kind === 'too-little') events.tell({ participant, provider: end.provider.name })
    return end
  }
  return {
    providers: desk.providers,
    events,
    callbackUrl: desk.redirectUri,
    access: (participant, provider, scopes) => access(desk, renew, participant, provider, scopes),
    async rejected(ready) {
      await rejected(desk, ready)
      events.tell({ participant: ready.connection.participant, provider: ready.provider })
    },
    begin: (request) => beginConnect(desk, request),
    complete: async (returning) => reportIfConnected(returning.person.participant, await complete(desk, returning)),
    keepKey: async (request, key) => reportIfConnected(request.person.participant, await keepKey(desk, request, key)),
    list: (participant) => list(desk, participant),
    async disconnect(participant, provider) {
      const removed = await disconnect(desk, participant, provider)
      if (removed !== undefined) events.tell({ participant, provider })
      return removed
    },
  }
}

/** Concurrent renewals of one connection share one request. */
function shareRenewals(desk: ConnectionDesk): Renew {
  const inFlight = new Map<string, Promise<Renewal>>()
  return (consent, due) => {
    const joined = inFlight.get(due.id)
    if (joined !== undefined) return joined
    const renewal = refresh(desk, consent, due).finally(() => inFlight.delete(due.id))
    inFlight.set(due.id, renewal)
    return renewal
  }
}
