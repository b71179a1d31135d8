import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type AuditKind, auditKinds } from '../../src/audit/kinds.ts'
import { sourcesIn } from '../support/sources.ts'
import { tableUnder } from '../support/tables.ts'

const kinds = Object.keys(auditKinds) as AuditKind[]

test('docs/storage-schema.md lists every kind of audit event, with the meaning that the code gives it, and no other', async () => {
  const page = await readFile('docs/storage-schema.md', 'utf8')

  const listed = tableUnder(page, '### Kinds of events').map(([kind = '', meaning]) => [kind.slice(1, -1), meaning])
  expect(listed).toEqual(Object.entries(auditKinds))
})

test('every kind in the table is written by something', async () => {
  const code = (await sourcesIn('src')).filter(({ path }) => path !== 'src/audit/kinds.ts')

  const isWritten = (kind: AuditKind) => code.some(({ text }) => text.includes(`'${kind}'`)) || settlings.has(kind)
  expect(kinds.filter((kind) => !isWritten(kind))).toEqual([])
})

/** Made of the state that a question was settled with, in `elicitation/settle.ts`. */
const settlings = new Set<AuditKind>(['question-answered', 'question-expired', 'question-failed', 'question-withdrawn'])
