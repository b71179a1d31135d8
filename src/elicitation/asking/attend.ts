import type { Desk } from '../desk.ts'
import type { ElicitationId } from '../elicitation.ts'
import { saveEvent } from '../settle.ts'

const signals = new WeakSet<AbortSignal>()

/** Of more questions than these it is not noted any more who asked the oldest. */
const mostAttended = 10_000

/**
 * Notes that a client which asked this question stays connected until `connected` aborts. When the last one of this process
 * has left, the question is marked, and stays open: the same call, made again, finds it. `left` is given that work.
 */
export function attend(
  desk: Desk,
  id: ElicitationId,
  connected: AbortSignal,
  left: (work: Promise<void>) => Promise<void>,
): void {
  const { attended } = desk
  const clients = attended.get(id)
  if (clients === undefined) attended.set(id, new Set([connected]))
  else clients.add(connected)
  const [oldest] = attended.keys()
  if (attended.size > mostAttended && oldest !== undefined) attended.delete(oldest)
  if (signals.has(connected)) return
  signals.add(connected)
  // Without its mark the question is still whole: a store that is down now must not make closing fail.
  connected.addEventListener('abort', () => void left(leave(desk, connected)).catch(() => {}), { once: true })
}

async function leave(desk: Desk, connected: AbortSignal): Promise<void> {
  const { attended, store, clock } = desk
  const alone = [...attended].filter(([, clients]) => clients.delete(connected) && clients.size === 0)
  for (const [id] of alone) attended.delete(id)
  for (const [id] of alone) {
    const kept = await store.get(id)
    if (kept === undefined) continue
    const marked = await saveEvent(desk, kept, { kind: 'asker-left', at: clock.now() })
    // Another session may have asked it while the mark was being saved.
    if (marked !== undefined && attended.has(id)) {
      await saveEvent(desk, marked, { kind: 'asker-back', at: clock.now() })
    }
  }
}
