import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Modes, modesOf } from '../../src/mcp/caller.ts'
import { formParams, urlParams } from '../../src/mcp/elicit-params.ts'
import { quirksOf } from '../../src/mcp/quirks.ts'
import { isPerRequest, revisionOf } from '../../src/mcp/revision.ts'

const both = ['2025-11-25', '2026-07-28'] as const
const revisions = ['2025-06-18', ...both] as const

describe('what a client declares', () => {
  const cases: [unknown, Modes][] = [
    [undefined, { form: false, url: false }],
    [null, { form: false, url: false }],
    ['form', { form: false, url: false }],
    [{}, { form: true, url: false }],
    [{ form: {} }, { form: true, url: false }],
    [{ url: {} }, { form: false, url: true }],
    [
      { form: {}, url: {} },
      { form: true, url: true },
    ],
    [
      { form: null, url: {} },
      { form: false, url: true },
    ],
    [{ somethingElse: {} }, { form: true, url: false }],
  ]
  test.each(cases)('%j (E11-09)', (declared, modes) => {
    for (const revision of both) expect(modesOf(declared, revision)).toEqual(modes)
  })

  test('2025-06-18 knows no url mode, whatever is declared (E06-04)', () => {
    expect(modesOf({ form: {}, url: {} }, '2025-06-18')).toEqual({ form: true, url: false })
    expect(modesOf({}, '2025-06-18')).toEqual({ form: true, url: false })
  })

  test('a client from before anyone could be asked can be asked by nothing', () => {
    expect(modesOf({ form: {}, url: {} }, undefined)).toEqual({ form: false, url: false })
  })
})

describe('quirks', () => {
  const odd = [
    { name: 'odd', lacks: ['url'] as const },
    { name: 'mended', until: '1.10.0', lacks: ['form', 'url'] as const },
  ]

  test('a declared mode that a client does not show is treated as undeclared', () => {
    const declared = { form: {}, url: {} }
    const modes = (name: string, version: string) =>
      modesOf(declared, '2025-11-25', quirksOf({ info: { name, version } }, odd))
    expect(modes('odd', '9')).toEqual({ form: true, url: false })
    expect(modes('mended', '1.9.3')).toEqual({ form: false, url: false })
    expect(modes('mended', '1.10.0')).toEqual({ form: true, url: true })
    expect(modes('mended', '1.10')).toEqual({ form: true, url: true })
    expect(modes('mended', '2.0.0-beta')).toEqual({ form: true, url: true })
    expect(modes('mended', 'nightly')).toEqual({ form: false, url: false })
    expect(modes('plain', '1.0.0')).toEqual({ form: true, url: true })
    expect(quirksOf({ info: undefined }, odd)).toEqual([])
  })

  test('only ever narrow: no table gives a client a mode it did not declare', () => {
    const mode = fc.constantFrom('form' as const, 'url' as const)
    const name = fc.constantFrom('a', 'b')
    const version = fc.constantFrom('0.9', '1.0.0', '2', 'x')
    const quirk = fc.record({ name, lacks: fc.array(mode) })
    const until = fc.tuple(quirk, version).map(([one, version]) => ({ ...one, until: version }))
    const declared = fc.option(fc.record({ form: fc.constant({}), url: fc.constant({}) }, { requiredKeys: [] }), {
      nil: undefined,
    })
    const client = fc.record({ name, version })
    fc.assert(
      fc.property(
        declared,
        fc.constantFrom(...revisions),
        client,
        fc.array(fc.oneof(quirk, until)),
        (declared, revision, client, quirks) => {
          const plain = modesOf(declared, revision)
          const narrowed = modesOf(declared, revision, quirksOf({ info: client }, quirks))
          return (plain.form || !narrowed.form) && (plain.url || !narrowed.url)
        },
      ),
    )
  })
})

describe('a question as a revision says it', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', default: 'x' } } } as const
  const page = { mode: 'url', message: 'Look', url: 'https://example.com/x' } as const

  test('a form has its message and schema, and says its mode where there are two (E11-12, E11-13, E11-14)', () => {
    for (const revision of both) {
      expect(formParams('A?', schema, revision).params).toEqual({
        mode: 'form',
        message: 'A?',
        requestedSchema: schema,
      })
    }
    const { params } = formParams('A?', schema, '2025-06-18')
    expect(params).toEqual({
      message: 'A?',
      requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
    })
  })

  test('a page names its elicitation on 2025-11-25 alone (E11-17, E26-03)', () => {
    expect(urlParams(page, 'id-1', '2025-11-25')).toEqual({ ...page, elicitationId: 'id-1' })
    expect(urlParams(page, 'id-1', '2026-07-28')).toEqual(page)
  })
})

test('only revisions that can ask are known, and from 2026-07-28 on each request stands alone', () => {
  for (const revision of revisions) expect(revisionOf(revision)).toBe(revision)
  expect(revisionOf('2025-03-26')).toBeUndefined()
  expect(revisionOf(undefined)).toBeUndefined()
  expect([...revisions, undefined].filter(isPerRequest)).toEqual(['2026-07-28'])
})
