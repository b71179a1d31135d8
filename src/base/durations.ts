import { BadArgument } from './errors.ts'

/** Milliseconds, or text such as `10m`. */
export type Duration = number | string

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of "45s", "10m", "1h", "30d" or "250ms". Text without a unit is refused: nobody knows what it means. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') {
    if (duration >= 0 && Number.isFinite(duration)) return duration
    throw new BadArgument(`${duration} is not a duration.`)
  }
  const [, count, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(duration.trim()) ?? []
  if (count === undefined || unit === undefined) {
    throw new BadArgument(
      `"${duration}" is not a duration. Write a whole number and a unit, such as 45s, 10m, 1h or 30d.`,
    )
  }
  return Number(count) * units[unit as keyof typeof units]
}

/** Says a duration in its largest whole unit, as `milliseconds` reads it. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  const unit = (['d', 'h', 'm', 's'] as const).find((unit) => whole > 0 && whole % units[unit] === 0) ?? 'ms'
  return `${whole / units[unit]}${unit}`
}
