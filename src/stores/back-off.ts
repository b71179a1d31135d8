import { setTimeout as pause } from 'node:timers/promises'

const firstBackOffMs = 50
const maxBackOffMs = 2_000

/** How long to wait before connecting again, with some chance in it: not everybody must come back at the same moment. */
export function backOff(failures: number): number {
  return Math.min(maxBackOffMs, firstBackOffMs * 2 ** failures) * (0.5 + Math.random() / 2)
}

/** Ends early when `signal` is aborted, and never throws. Does not keep the process alive. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch(() => {})
}
