import { BadArgument } from '../base/errors.ts'
import { isPlainObject } from '../base/json.ts'
import { headOf, isHead } from './chain/chain.ts'
import { readPages } from './chain/pages.ts'
import type { Head } from './event.ts'
import type { AuditStore } from './store.ts'

/** Every event as a line of JSON, chain by chain, and then the heads. Kept elsewhere, the heads show any later cut. */
export async function* exportAudit(store: AuditStore, exportedAt: Date): AsyncGenerator<string> {
  const heads: Head[] = []
  for (const { chain, anchor } of await store.chains()) {
    let last: Head | undefined = anchor
    for await (const page of readPages(store, chain)) {
      for (const event of page) yield `${JSON.stringify({ event })}\n`
      last = page.at(-1)
    }
    if (last !== undefined) heads.push(headOf(last))
  }
  yield `${JSON.stringify({ heads, exportedAt })}\n`
}

/** The heads at the end of an export. An incomplete export has none, and is refused. */
export async function readHeads(lines: AsyncIterable<string> | Iterable<string>): Promise<Head[]> {
  let last = ''
  for await (const line of lines) {
    if (line.trim() !== '') last = line
  }
  const heads = headsOf(last)
  if (heads === undefined) {
    throw new BadArgument('This is no audit export, or only the beginning of one: its last line holds no heads.')
  }
  return heads
}

function headsOf(line: string): Head[] | undefined {
  const value = parse(line)
  if (!isPlainObject(value) || !Array.isArray(value.heads) || !value.heads.every(isHead)) return undefined
  return value.heads.map(headOf)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
