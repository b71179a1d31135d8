import type { Clock } from '../../base/clock.ts'
import type { Connections } from '../../connection/connections.ts'
import type { ParticipantId } from '../../participant/participant.ts'

/** Notices when accounts of connected participants are connected or disconnected, by whichever process. */
export interface AccountWatch {
  /** Calls `changed` with the provider whenever an account of the participant changes. Returns how to stop. */
  watch(participant: ParticipantId, changed: (provider: string) => void): () => void
  close(): void
}

interface Watched {
  readonly listeners: Set<(provider: string) => void>
  /** The state at the last check. Each check waits for the one before. */
  seen: Promise<Seen>
}

/** A fingerprint of each connected account, by provider. */
type Seen = ReadonlyMap<string, string>

/** Changes by other processes are found by polling. */
const lookMs = 5_000

export function createAccountWatch(
  connections: Pick<Connections, 'list' | 'events'>,
  providers: () => ReadonlySet<string>,
  clock: Clock,
): AccountWatch {
  const here = new Map<ParticipantId, Watched>()
  let callOff: (() => void) | undefined

  async function read(participant: ParticipantId): Promise<Seen> {
    if (providers().size === 0) return new Map()
    const all = await connections.list(participant)
    const usable = all.filter(({ provider, standing }) => providers().has(provider) && standing !== 'refused')
    return new Map(usable.map((one) => [one.provider, `${one.connectedAt.getTime()} ${one.scopes.join(' ')}`]))
  }

  function look(participant: ParticipantId): void {
    const attended = here.get(participant)
    if (attended === undefined || providers().size === 0) return
    attended.seen = attended.seen.then(async (before) => {
      // A store that is down tells nothing about accounts.
      const now = await read(participant).catch(() => before)
      for (const provider of providers()) {
        if (before.get(provider) === now.get(provider)) continue
        for (const tell of attended.listeners) tell(provider)
      }
      return now
    })
  }

  function lookLater(): void {
    callOff ??= clock.after(lookMs, () => {
      callOff = undefined
      for (const participant of here.keys()) look(participant)
      if (here.size > 0) lookLater()
    })
  }

  const stop = connections.events.listen(({ participant }) => look(participant))
  return {
    watch(participant, changed) {
      const attended = here.get(participant) ?? {
        listeners: new Set(),
        seen: read(participant).catch(() => new Map<string, string>()),
      }
      here.set(participant, attended)
      attended.listeners.add(changed)
      lookLater()
      return () => {
        attended.listeners.delete(changed)
        if (attended.listeners.size === 0 && here.get(participant) === attended) here.delete(participant)
      }
    },
    close() {
      stop()
      callOff?.()
      here.clear()
    },
  }
}
