import { readFile } from 'node:fs/promises'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { BadConfig } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import { badConfig, type Path, type Written } from './problems.ts'

/** A config file as it was written: no variable filled in, nothing checked. */
export interface ConfigDocument extends Written {
  readonly value: Readonly<Record<string, unknown>>
}

/** Reads YAML, of which JSON is a part. */
export async function readDocument(file: string): Promise<ConfigDocument> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new BadConfig(`${file} cannot be read.`, [], { cause })
  })
  const lines = new LineCounter()
  // Pretty errors would quote the line, and a secret with it.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const written: Written = {
    file,
    lineOf: (path) => Math.max(1, lines.linePos(offsetOf(document, path)).line),
  }
  if (document.errors.length > 0) {
    const told = document.errors.map(({ pos, code, message }) => {
      const { line } = lines.linePos(pos[0])
      return `${file}:${line}: ${remedies[code] ?? `${firstLine(message)}.`}`
    })
    throw new BadConfig([...new Set(told)].slice(0, mostErrors).join('\n'))
  }
  const value = plainValue(document, written)
  if (!isPlainObject(value)) {
    throw badConfig(written, [{ path: [], message: 'this must hold settings by their names, such as `version: 1`.' }])
  }
  return { ...written, value }
}

/** One mistake makes others; the first few show it. */
const mostErrors = 5

const remedies: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this name was written before; keep one of the two.',
  MULTIPLE_DOCS: 'a second document begins here; keep one.',
  TAB_AS_INDENT: 'a tab stands where spaces must; indent with spaces.',
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.replace(/[.:]$/, '') ?? text
}

function plainValue(document: Document, written: Written): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    throw badConfig(written, [{ path: [], message: 'an alias (*name) leads nowhere, or to too much; write it out.' }])
  }
}

/** Where a setting begins, by its name if it has one; for one that is not there, where it would stand. */
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
