import { describe, expect, test } from 'vitest'
import type { Line } from '../../../src/definition/difference.ts'
import { toolsPage } from '../../../src/web/pages/console/tools-page.ts'
import { frame } from '../../support/web/gallery-frame.ts'

const at = new Date('2026-11-19T12:00:00Z')

function pageWith(lines: readonly Line[]): string {
  const tool = { server: 'files', tool: 'read', digest: 'd', firstSeen: at, changedAt: at, changes: 1 }
  return toolsPage(frame, { held: [{ ...tool, why: 'changed', lines }], heldInAll: 1, others: [] })
}

const long = (length: number) => 'x'.repeat(length)

describe('a definition that is held back', () => {
  test('can be allowed where all of its difference is shown', () => {
    const page = pageWith([{ path: 'description', before: long(4_000), now: long(4_000) }])
    expect(page).toContain('Allow this definition')
    expect(page).not.toContain('assent tools allow')
  })

  test.each<[string, readonly Line[]]>([
    ['a long text now', [{ path: 'description', now: long(4_001) }]],
    ['a long text before', [{ path: 'description', before: long(4_001), now: 'x' }]],
    ['a long name', [{ path: long(201), now: 'x' }]],
    ['many lines', Array.from({ length: 201 }, (_, index) => ({ path: `a[${index}]`, now: 'x' }))],
  ])('cannot be allowed where some of it is not: %s', (_, lines) => {
    const page = pageWith(lines)
    expect(page).not.toContain('Allow this definition')
    expect(page).toContain('assent tools allow')
  })
})
