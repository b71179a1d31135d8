import { milliseconds } from '../base/durations.ts'

/** The moment that lies this long back, such as `7d`; the beginning of time if nothing is given. */
export function sinceOf(duration: string | undefined): Date {
  return duration === undefined ? new Date(0) : new Date(Date.now() - milliseconds(duration))
}
