import type { GatewayContext } from '../context.ts'
import type { UpstreamServer } from '../options.ts'

/** How long one of many servers is waited for now, in milliseconds. One that is down must not hold up the others. */
export function patienceFor({ settings }: Pick<GatewayContext, 'settings'>, { upstream }: UpstreamServer): number {
  const { listFirst, listDown } = settings.clocks
  const { kind, since } = upstream.state()
  if (kind === 'down') return listDown
  if (kind !== 'starting') return listFirst
  // Counted from its start: a server that never answers costs the first client all of it, and others little.
  const begun = settings.assent.clock.now().getTime() - since.getTime()
  return Math.max(listFirst - begun, listDown)
}

/** Does some work with a signal that also aborts when this server was waited for long enough. */
export async function withPatience<T>(
  gateway: Pick<GatewayContext, 'settings'>,
  server: UpstreamServer,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const impatient = new AbortController()
  const callOff = gateway.settings.assent.clock.after(patienceFor(gateway, server), () => impatient.abort())
  try {
    return await work(AbortSignal.any([signal, impatient.signal]))
  } finally {
    callOff()
  }
}
