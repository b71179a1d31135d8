import { createEvents } from '../base/events.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { access, type Renew } from './access.ts'
import type { AccountChanged, Connections, KeyKept } from './connections.ts'
import { type Renewal, refresh } from './credential/refresh.ts'
import { rejected } from './credential/rejected.ts'
import type { ConnectionDesk } from './desk.ts'
import { disconnect } from './disconnect.ts'
import { begin } from './flow/begin.ts'
import { complete } from './flow/complete.ts'
import { keepKey } from './flow/keep-key.ts'
import { list } from './list.ts'

/** Binds the room to its desk. */
export function createConnections(desk: ConnectionDesk): Connections {
  const renew = onceAtATime(desk)
  const events = createEvents<AccountChanged>()
  const landed = <End extends KeyKept>(participant: ParticipantId, end: End): End => {
    if (end.kind === 'connected' || end.kind === 'too-little') events.tell({ participant, provider: end.provider.name })
    return end
  }
  return {
    providers: desk.providers,
    events,
    access: (participant, provider, scopes) => access(desk, renew, participant, provider, scopes),
    async rejected(ready) {
      await rejected(desk, ready)
      events.tell({ participant: ready.of.participant, provider: ready.provider })
    },
    begin: (beginning) => begin(desk, beginning),
    complete: async (returning) => landed(returning.person.participant, await complete(desk, returning)),
    keepKey: async (beginning, key) => landed(beginning.person.participant, await keepKey(desk, beginning, key)),
    list: (participant) => list(desk, participant),
    async disconnect(participant, provider) {
      const gone = await disconnect(desk, participant, provider)
      if (gone !== undefined) events.tell({ participant, provider })
      return gone
    },
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
