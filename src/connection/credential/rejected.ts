import type { Connection } from '../connection.ts'
import type { Ready } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'

const justRenewedMs = 60_000

/** A service did not take this credential. When another one is kept by now, that says nothing about it. */
export async function rejected(desk: ConnectionDesk, { of }: Pick<Ready, 'of'>): Promise<void> {
  const kept = await desk.store.get(of.participant, of.provider)
  if (kept?.id !== of.id || kept.version !== of.version) return
  const standing = canHelp(kept, desk.clock.now()) ? 'doubted' : 'refused'
  await desk.audit.record({
    kind: 'connection-rejected',
    who: of.participant,
    data: { provider: of.provider, standing },
  })
  // False: somebody renewed, replaced or removed it since.
  await desk.store.saveIfUnchanged({ ...kept, version: kept.version + 1, standing })
}

/** Renewing what was renewed just now would bring the same again. */
function canHelp({ renewable, obtained }: Connection, now: Date): boolean {
  return renewable && !(obtained.by === 'refresh' && now.getTime() - obtained.at.getTime() < justRenewedMs)
}
