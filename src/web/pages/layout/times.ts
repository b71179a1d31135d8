import type { Frame } from '../props.ts'
import { cached } from './cache.ts'
import { type Markup, markup } from './markup.ts'

type Whose = Pick<Frame, 'locale' | 'now'>

/** A day, as this person writes it. */
export function day({ locale }: Whose, date: Date): Markup {
  return time(locale, date, 'day')
}

/** A moment in UTC; the script says it in the zone of the one who reads. On another day than today the day is told. */
export function moment({ locale, now }: Whose, date: Date): Markup {
  const isSoon = Math.abs(date.getTime() - now.getTime()) < 12 * hour
  return time(locale, date, isSoon ? 'clock' : 'moment', ' UTC')
}

/** How long until then, in one unit; the script counts it down. */
export function timeLeft({ locale, now }: Whose, until: Date): Markup {
  const words = duration(locale, until.getTime() - now.getTime())
  return markup`<time datetime="${until.toISOString()}" lang="${known(locale)}" data-time="left">${words}</time>`
}

/** How long since then, such as "2 minutes ago". */
export function ago({ locale, now }: Whose, since: Date): Markup {
  const words = duration(locale, now.getTime() - since.getTime())
  return markup`<time datetime="${since.toISOString()}" lang="${known(locale)}">${words}</time> ago`
}

/** Such as "9 minutes": rounded down, so that nobody counts on time they do not have. */
export function duration(locale: string, ms: number): string {
  const left = Math.max(0, ms)
  const [unit, length] = units.find(([, , from]) => left >= from) ?? units[3]
  const number = Math.floor(left / length)
  return unitFormats[unit](locale).format(number)
}

/** A number, as this person writes it. */
export function amount(locale: string, number: number): string {
  return numberFormat(locale).format(number)
}

/** Whether this person would write a half as 0.5. */
export function writesPoint(locale: string): boolean {
  return amount(locale, 0.5).includes('.')
}

const hour = 3_600_000

/** From which length on each unit is used. The script counts down by the same table. */
export const units = [
  ['day', 24 * hour, 48 * hour],
  ['hour', hour, 2 * hour],
  ['minute', 60_000, 120_000],
  ['second', 1_000, 0],
] as const

/** Making a format takes a hundred times as long as using it. */
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

/** What a browser says it speaks may be anything. */
const known = cached((locale) => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? 'en'
  } catch {
    return 'en'
  }
})
