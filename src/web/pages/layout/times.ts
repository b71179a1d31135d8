import type { Frame } from '../props.ts'
import { cached } from './cache.ts'
import { type Markup, markup } from './markup.ts'

type Reader = Pick<Frame, 'locale' | 'now'>

/** A date in this locale. */
export function day({ locale }: Reader, date: Date): Markup {
  return time(locale, date, 'day')
}

/** A time in UTC, with the date if it is not within half a day. The script converts it to the reader's time zone. */
export function moment({ locale, now }: Reader, date: Date): Markup {
  const isSoon = Math.abs(date.getTime() - now.getTime()) < 12 * hour
  return time(locale, date, isSoon ? 'clock' : 'moment', ' UTC')
}

/** The time left until then, in one unit. The script counts it down. */
export function timeLeft({ locale, now }: Reader, until: Date): Markup {
  const words = duration(locale, until.getTime() - now.getTime())
  return markup`<time datetime="${until.toISOString()}" lang="${known(locale)}" data-time="left">${words}</time>`
}

/** The time since then, such as "2 minutes ago". */
export function ago({ locale, now }: Reader, since: Date): Markup {
  const words = duration(locale, now.getTime() - since.getTime())
  return markup`<time datetime="${since.toISOString()}" lang="${known(locale)}">${words}</time> ago`
}

/** A duration such as "9 minutes", rounded down so that it never promises too much time. */
export function duration(locale: string, ms: number): string {
  const left = Math.max(0, ms)
  const [unit, length] = units.find(([, , from]) => left >= from) ?? units[3]
  const number = Math.floor(left / length)
  return unitFormats[unit](locale).format(number)
}

/** A number in this locale. */
export function amount(locale: string, number: number): string {
  return numberFormat(locale).format(number)
}

/** Whether this locale writes one half as 0.5. */
export function writesPoint(locale: string): boolean {
  return amount(locale, 0.5).includes('.')
}

const hour = 3_600_000

/** Each unit with its length and the shortest duration shown in it. The script uses the same table. */
export const units = [
  ['day', 24 * hour, 48 * hour],
  ['hour', hour, 2 * hour],
  ['minute', 60_000, 120_000],
  ['second', 1_000, 0],
] as const

/** Cached, because creating a format takes a hundred times as long as using it. */
const dateFormat = (style: Intl.DateTimeFormatOptions) =>
  cached((locale) => new Intl.DateTimeFormat(known(locale), { ...style, timeZone: 'UTC' }))
const dateFormats = {
  day: dateFormat({ dateStyle: 'medium' }),
  clock: dateFormat({ timeStyle: 'short' }),
  moment: dateFormat({ dateStyle: 'medium', timeStyle: 'short' }),
}
const unitFormat = (unit: string) =>
  cached((locale) => new Intl.NumberFormat(known(locale), { style: 'unit', unit, unitDisplay: 'long' }))
const unitFormats = {
  day: unitFormat('day'),
  hour: unitFormat('hour'),
  minute: unitFormat('minute'),
  second: unitFormat('second'),
}
const numberFormat = cached((locale) => new Intl.NumberFormat(known(locale), { maximumFractionDigits: 20 }))

function time(locale: string, date: Date, kind: keyof typeof dateFormats, zone = ''): Markup {
  const words = dateFormats[kind](locale).format(date)
  return markup`<time datetime="${date.toISOString()}" lang="${known(locale)}" data-time="${kind}">${words}${zone}</time>`
}

/** English for a locale that `Intl` does not know: a browser may send anything. */
const known = cached((locale) => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? 'en'
  } catch {
    return 'en'
  }
})
