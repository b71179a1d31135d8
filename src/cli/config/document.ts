import { readFile } from 'node:fs/promises'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { BadConfig } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import { whyUnreadable } from '../errors.ts'
import { badConfig, type Path, type Written } from './problems.ts'

/** A settings file as it was written: variables are not filled in, and nothing is checked. */
export interface ConfigDocument extends Written {
  readonly value: Readonly<Record<string, unknown>>
}

/** Reads a YAML file. JSON is read too, being YAML. */
export async function readDocument(file: string): Promise<ConfigDocument> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new BadConfig(`${file} cannot be read: ${whyUnreadable(cause)}.`, [], { cause })
  })
  return documentFrom(file, text)
}

/** Reads the text of a YAML file. */
export function documentFrom(file: string, text: string): ConfigDocument {
  const lines = new LineCounter()
  // Pretty errors quote the line, which may hold a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const written: Written = {
    file,
    lineOf: (path) => Math.max(1, lines.linePos(offsetOf(document, path)).line),
  }
  if (document.errors.length > 0) {
    const messages = document.errors.map(({ pos, code, message }) => {
      const { line } = lines.linePos(pos[0])
      return `${file}:${line}: ${remedies[code] ?? `${firstLine(message)}.`}`
    })
    throw new BadConfig([...new Set(messages)].slice(0, mostErrors).join('\n'))
  }
  const value = plainValue(document, written)
  if (!isPlainObject(value)) {
    throw badConfig(written, [{ path: [], message: 'the file must hold settings by name, such as `version: 1`.' }])
  }
  return { ...written, value }
}

/** One mistake in YAML causes others after it, so only the first few are told. */
const mostErrors = 5

const remedies: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this setting is written twice; keep one of the two.',
  MULTIPLE_DOCS: 'a second YAML document begins here; keep one document in the file.',
  TAB_AS_INDENT: 'this line is indented with a tab; indent with spaces.',
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.replace(/[.:]$/, '') ?? text
}

function plainValue(document: Document, written: Written): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    throw badConfig(written, [{ path: [], message: 'an alias (*name) cannot be resolved; write its value out.' }])
  }
}

/** Where the name or value of a setting begins. For a setting that is not there: where the section around it begins. */
function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const part of path) {
    const whole: unknown = isAlias(node) ? node.resolve(document) : node
    if (isMap(whole)) {
      const pair = whole.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(part))
      if (pair === undefined) return offset
      offset = startOf(pair.key)
      node = pair.value
    } else if (isSeq(whole) && typeof part === 'number' && part < whole.items.length) {
      node = whole.items[part]
      offset = startOf(node)
    } else return offset
  }
  return offset
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}
