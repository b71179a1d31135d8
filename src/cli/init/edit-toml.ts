import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { type EditableFile, NotEditable, type Rewording, serversAt, unusual, withWords } from './editable-file.ts'

/**
 * A file of TOML. No library writes TOML without dropping comments, so the two values of a server are replaced in the text,
 * and the result is read again: if it says anything else than what was wanted, the file is left as it is.
 */
export function editToml(text: string): EditableFile {
  const settings = read(text)
  return {
    servers: (path) => serversAt(settings, path),
    reword(rewordings) {
      const changed = rewordings.reduce((before, one) => rewordOne(before, one), text)
      if (!isDeepStrictEqual(tryRead(changed), withWords(settings, rewordings, 'split'))) throw unusual()
      return changed
    },
  }
}

function rewordOne(text: string, { path, words: [program, ...args] }: Rewording): string {
  const lines = text.split('\n')
  const head = lines.findIndex((line) => isHeadOf(line, path))
  if (head === -1) throw unusual()
  const next = lines.findIndex((line, index) => index > head && /^\s*\[/.test(line))
  const end = next === -1 ? lines.length : next
  const table = lines.slice(head + 1, end)
  const withProgram = setValue(table, 'command', JSON.stringify(program))
  const withArgs = setValue(withProgram, 'args', `[${args.map((arg) => JSON.stringify(arg)).join(', ')}]`)
  return [...lines.slice(0, head + 1), ...withArgs, ...lines.slice(end)].join('\n')
}

/** Whether a line is the head of the table with these keys, however they are quoted. */
function isHeadOf(line: string, path: readonly string[]): boolean {
  if (!/^\s*\[[^[]/.test(line)) return false
  const table = tryRead(line)
  const wanted = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), {})
  return table !== undefined && isDeepStrictEqual(table, wanted)
}

/** The lines of a table with another value of a key, which is put first if there is none. */
function setValue(table: readonly string[], key: string, value: string): string[] {
  const at = table.findIndex((line) => new RegExp(`^\\s*${key}\\s*=`).test(line))
  if (at === -1) return [`${key} = ${value}`, ...table]
  const [line = ''] = table.slice(at)
  const end = endOfValue(table, at)
  const [, before = ''] = /^(\s*\w+\s*=\s*)/.exec(line) ?? []
  const carriageReturn = line.endsWith('\r') ? '\r' : ''
  return [...table.slice(0, at), `${before}${value}${commentOf(table, at, end)}${carriageReturn}`, ...table.slice(end)]
}

/** Where the value that begins on a line ends: a list may go over several lines. */
function endOfValue(table: readonly string[], at: number): number {
  for (let end = at + 1; end <= table.length; end += 1) {
    if (tryRead(table.slice(at, end).join('\n')) !== undefined) return end
  }
  throw unusual()
}

/** The comment behind a value of one line. */
function commentOf(table: readonly string[], at: number, end: number): string {
  if (end !== at + 1) return ''
  const line = (table[at] ?? '').replace(/\r$/, '')
  const value = tryRead(line)
  const starts = [...line.matchAll(/\s+#/g)].map(({ index }) => index)
  const start = starts.find((index) => isDeepStrictEqual(tryRead(line.slice(0, index)), value))
  return start === undefined ? '' : line.slice(start)
}

function read(text: string): unknown {
  try {
    return plain(parse(text))
  } catch (error) {
    throw new NotEditable(`it is not TOML (${error instanceof Error ? error.message.split('\n')[0] : error})`)
  }
}

function tryRead(text: string): unknown {
  try {
    return plain(parse(text))
  } catch {
    return undefined
  }
}

/** Without the prototypes of the parser, so that two readings can be compared. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
