import { setTimeout as pause } from 'node:timers/promises'

const tries = 60
const everyMs = 500

/** Sends a word again while the store cannot be reached, for longer than it takes to restart. Never throws. */
export async function insist(send: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < tries; n++) {
    const isDone = await send().then(
      () => true,
      () => false,
    )
    if (isDone) return
    await pause(everyMs, undefined, { ref: false })
  }
}
