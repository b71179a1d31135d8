import { expect, test } from 'vitest'
import type { AuditEntry } from '../../src/audit/entry.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import { aLog, rowsOf } from '../support/audit/audits.ts'

test('a kind that is not in the table does not compile, unless it says that it is custom', async () => {
  // @ts-expect-error Misspelled.
  const unknown: AuditEntry = { kind: 'question-answerd' }
  const own: AuditEntry = { kind: 'custom:pager-called' }
  expect([unknown.kind, own.kind]).not.toContain('question-answered')

  const store = memoryAudit()
  await aLog(store).record(own)
  expect((await rowsOf(store)).events.at(-1)?.kind).toBe('custom:pager-called')
})
