const quote = 34
const comma = 44
const bracket = 91
const backslash = 92
const brace = 123

/**
 * Whether a JSON text holds more values than `most`, counting every value inside an object or a list. It is found without
 * parsing: a value costs up to 200 bytes of memory and only two bytes of text.
 */
export function hasMoreValues(text: string, most: number): boolean {
  // Each value has at least one character, and one that parts it from the next.
  if (text.length <= most * 2) return false
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === comma || char === bracket || char === brace) {
      values += 1
      if (values > most) return true
    } else if (char === quote) {
      at = endOfString(text, at)
      if (at === -1) return false
    }
  }
  return false
}

/** Where the text that begins at this quote ends; -1 if it does not end. */
function endOfString(text: string, start: number): number {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (end !== -1 && isEscaped(text, end))
  return end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}

/** Bytes of memory that a JSON value is taken to need besides its text. */
const bytesPerValue = 128
/** A text this short is not looked into: it is taken to hold as many values as such a text can. */
const shortText = 8_192
const mostPerByte = 22

/** What a parsed JSON value needs in memory, in bytes, as far as a cheap look can tell. `length` is that of its text. */
export function memoryOf(value: unknown, length: number): number {
  return length <= shortText ? length * mostPerByte : length + valuesIn(value) * bytesPerValue
}

/** How many values are inside a parsed JSON value, at any depth. */
export function valuesIn(value: unknown): number {
  let values = 0
  const open = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const inside: unknown[] = Array.isArray(next) ? next : Object.values(next)
    values += inside.length
    for (const one of inside) if (typeof one === 'object' && one !== null) open.push(one)
  }
  return values
}
