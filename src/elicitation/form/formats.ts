import { isUrl } from '../../base/public-address.ts'
import type { TextFormat } from './schema.ts'

/** How to tell that text has a format, and how to say it to a person. */
export interface FormatRule {
  fits(text: string): boolean
  /** Goes on from the field's label: "E-mail" + " must look like name@example.com". */
  readonly rule: string
}

/** The four formats of every revision. Each check takes time in proportion to the text, whatever the text. */
export const formats: Readonly<Record<TextFormat, FormatRule>> = {
  email: { fits: isEmail, rule: 'must look like name@example.com' },
  uri: { fits: isUri, rule: 'must be a full address, such as https://example.com' },
  date: { fits: isDate, rule: 'must be a date, such as 2026-07-28' },
  'date-time': { fits: isDateTime, rule: 'must be a date and time with its offset, such as 2026-07-28T09:30:00Z' },
}

const longestEmail = 254
const longestLocalPart = 64
const longestHostLabel = 63

/** An address as people write them, in any script; no quoted names, no comments, and a host with a dot. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const labels = text.slice(at + 1).split('.')
  return (
    at > 0 &&
    text.length <= longestEmail &&
    local.length <= longestLocalPart &&
    local.split('.').every((atom) => /^[^\s\p{C}@<>()[\]\\,;:"]+$/u.test(atom)) &&
    labels.length > 1 &&
    labels.every(isHostLabel)
  )
}

function isHostLabel(label: string): boolean {
  return (
    label.length <= longestHostLabel &&
    /^[\p{L}\p{M}\p{N}-]+$/u.test(label) &&
    !label.startsWith('-') &&
    !label.endsWith('-')
  )
}

/** RFC 3986 with a scheme, ASCII only, so that what passes here passes a strict checker on the other side too. */
function isUri(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:(?:[!#$&-;=?-Z[\]_a-z~]|%[0-9a-f]{2})+$/i.test(text)) return false
  const webWithoutSlashes = /^https?:(?!\/\/)/i.test(text)
  return !webWithoutSlashes && isUrl(text)
}

/** A day that the calendar has. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** RFC 3339: a day, a time to the second, and an offset. Second 60 passes only where it can be one: at 23:59:60 UTC. */
function isDateTime(text: string): boolean {
  if (!/^.{10}t\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i.test(text) || !isDate(text.slice(0, 10))) return false
  const time = minutesOf(text.slice(11, 16))
  const offset = /z$/i.test(text) ? 0 : minutesOf(text.slice(-5))
  const second = Number(text.slice(17, 19))
  if (time === undefined || offset === undefined || second > 60) return false

  const utc = text.at(-6) === '-' ? time + offset : time - offset
  return second < 60 || (utc + minutesPerDay) % minutesPerDay === minutesPerDay - 1
}

const minutesPerDay = 24 * 60

function minutesOf(clock: string): number | undefined {
  const [hour, minute] = [Number(clock.slice(0, 2)), Number(clock.slice(3))]
  return hour <= 23 && minute <= 59 ? hour * 60 + minute : undefined
}
