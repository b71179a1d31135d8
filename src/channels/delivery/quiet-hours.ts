import { BadArgument } from '../../base/errors.ts'

/** A time of day in which only urgent questions are told of. */
export interface QuietHours {
  /** Such as `22:00`. */
  readonly from: string
  /** Such as `07:00`; earlier than `from`: on the next day. */
  readonly to: string
  /** Such as `Europe/Berlin`. Default: that of the process. */
  readonly timeZone?: string
}

const minutesOfDay = 24 * 60

/** How long quiet hours last from a moment on, in milliseconds; 0 outside of them. */
export function quietFor({ from, to, timeZone }: QuietHours): (at: Date) => number {
  const [start, end] = [minutes(from), minutes(to)]
  if (start === end) throw new BadArgument('Quiet hours need two different times of day.')
  const wall = wallClock(timeZone)
  return (at) => {
    const now = wall(at)
    const isQuiet = start < end ? now >= start && now < end : now >= start || now < end
    if (!isQuiet) return 0
    const passed = at.getTime() % 60_000
    return ((end - now + minutesOfDay) % minutesOfDay) * 60_000 - passed
  }
}

function minutes(text: string): number {
  const [, hours, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined) throw new BadArgument(`"${text}" is not a time of day. Write one such as 22:00.`)
  return Number(hours) * 60 + Number(minute)
}

function wallClock(timeZone: string | undefined): (at: Date) => number {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone })
    return (at) => minutes(format.format(at))
  } catch {
    throw new BadArgument(`"${timeZone}" is not a time zone. Write one such as Europe/Berlin.`)
  }
}
