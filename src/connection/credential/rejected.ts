import type { Connection } from '../connection.ts'
import type { Ready } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'

const justRenewedMs = 60_000

/** A service rejected this credential. Does nothing if the connection has a newer credential by now. */
export async function rejected(desk: ConnectionDesk, { connection }: Pick<Ready, 'connection'>): Promise<void> {
  const kept = await desk.store.get(connection.participant, connection.provider)
  if (kept?.id !== connection.id || kept.version !== connection.version) return
  const standing = renewalMayHelp(kept, desk.clock.now()) ? 'doubted' : 'refused'
  await desk.audit.record({
    kind: 'connection-rejected',
    who: connection.participant,
    data: { provider: connection.provider, standing },
  })
  // False: the connection was renewed, replaced or removed meanwhile.
  await desk.store.saveIfUnchanged({ ...kept, version: kept.version + 1, standing })
}

/** A credential that was renewed a moment ago and rejected would be rejected again after another renewal. */
function renewalMayHelp({ renewable, obtained }: Connection, now: Date): boolean {
  return renewable && !(obtained.by === 'refresh' && now.getTime() - obtained.at.getTime() < justRenewedMs)
}
