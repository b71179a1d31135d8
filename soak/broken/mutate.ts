import type { Random } from '../random.ts'

const oddValues: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 60,
  '',
  ' ',
  '\u0000',
  '\u202e',
  '\ud800',
  '../../etc',
  'x'.repeat(5_000),
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  { toString: null },
  { constructor: { prototype: { polluted: true } } },
  '2026-07-28',
  '1900-01-01',
]
const oddNames = ['__proto__', 'constructor', 'id', 'method', 'params', 'result', 'error', '', 'a'.repeat(300)]

/** The text of a message, with up to three random mutations. */
export function mutated(message: unknown, random: Random): string {
  let broken: unknown = structuredClone(message)
  for (let times = random.below(4); times > 0; times--) broken = breakValue(broken, random)
  const text = JSON.stringify(broken) ?? ''
  return random.oneIn(4) ? breakText(text, random) : text
}

function breakValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.oneIn(12)) return random.pick(oddValues)
  if (Array.isArray(value)) {
    if (value.length === 0 || random.oneIn(3)) return [...value, random.pick(oddValues)]
    return value.toSpliced(random.below(value.length), 1, breakValue(random.pick(value), random))
  }
  const names = Object.keys(value)
  const name = names.length === 0 || random.oneIn(6) ? random.pick(oddNames) : random.pick(names)
  const { [name]: part, ...rest } = value as Record<string, unknown>
  if (random.oneIn(5)) return rest
  // Not by assignment, which would set the prototype for the name `__proto__`.
  return Object.fromEntries([...Object.entries(rest), [name, breakValue(part, random)]])
}

const fragments = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\n',
  '\r\n\r\n',
  '\u0000',
  '\\ud800',
  'NaN',
  'é',
  '1e999',
  'data: ',
]

function breakText(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + random.pick(fragments) + text.slice(at)
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + random.below(5))
    case 3:
      return text.repeat(2)
    default:
      return '['.repeat(1_000 + random.below(2_000)) + text
  }
}
