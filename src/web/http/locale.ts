import { cached } from '../pages/layout/cache.ts'

const fallback = 'en'
const longest = 512

/** The locale for numbers and dates, by the browser's `Accept-Language`; English where it names none that is known. */
export function localeOf(acceptLanguage: string | undefined): string {
  return bestOf((acceptLanguage ?? '').slice(0, longest))
}

const bestOf = cached((acceptLanguage) => {
  const wanted = acceptLanguage.split(',').map(readRange)
  const best = wanted.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)
  return best.find(({ tag }) => isKnown(tag))?.tag ?? fallback
})

function readRange(range: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return { tag, weight: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
}

function isKnown(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf([tag]).length === 1
  } catch {
    return false
  }
}
