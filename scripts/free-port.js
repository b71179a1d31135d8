import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that outgoing connections take, for one of those could take ours during a restart. */
export async function freePort() {
  for (;;) {
    const candidate = randomInt(20_000, 32_000)
    const probe = createServer().listen(candidate, '127.0.0.1')
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    await new Promise((closed) => probe.close(closed))
    return candidate
  }
}
