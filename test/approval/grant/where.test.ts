import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldersOf, isBelow, mayBePlace } from '../../../src/approval/grant/where/places.ts'
import { isWhere, wheresFor, whereWords } from '../../../src/approval/grant/where/where.ts'
import { decide } from '../../../src/approval/policy/decide.ts'
import type { PolicySettings } from '../../../src/approval/policy/policy-settings.ts'
import { choicesFor, choiceText, choiceWords } from '../../../src/approval/question/choices.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { aCall, alice } from '../../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd, say } from '../../support/approval/approving.ts'
import { anAssent, everyAssent } from '../../support/assents.ts'
import { readPolicy } from '../../support/policies.ts'

const write = (path: string, more: JsonObject = {}) =>
  aCall({ arguments: { path, content: 'some text', ...more } as JsonObject })
const asking: PolicySettings = { default: 'ask' }

/** Every text that some program could make of a path: decoded, folded, with its slashes and dots as they look. */
function readings(text: string): string[] {
  const found = new Set<string>([text])
  for (const one of found) {
    if (found.size > 400) break
    const decoded = one.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    const more = [
      decoded,
      one.normalize('NFKC'),
      one.replaceAll('\\', '/'),
      one.replace(/[\u2044\u2215\u29f8]/gu, '/'),
      one.replace(/[\u2024\uff0e]/gu, '.'),
      one.replace(/[?#].*$/s, ''),
      one.split('\0')[0] as string,
      one.trim(),
      one.replace(/[. ]+(?=\/|$)/g, (dots) => (/^\.{1,2}$/.test(dots) ? dots : '')),
      one.replace(/;[^/]*/g, ''),
      one.replace(/^~/, '/home/me'),
      one.replace(/\$\{?HOME\}?/g, '/home/me'),
      one.replace(/^[A-Za-z]:/, ''),
      one.replace(/[\p{Cc}\p{Cf}]/gu, ''),
    ]
    for (const other of more) found.add(other)
  }
  return [...found]
}

/** Where a path leads, from the working folder `/work`. */
function resolved(path: string): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `/there/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

const tricky = fc.constantFrom(
  ...[
    '..',
    '.',
    '',
    '...',
    '.. ',
    ' ..',
    '..;',
    '%2e%2e',
    '%252e%252e',
    '%2E.',
    '\uff0e\uff0e',
    '\u2024\u2024',
    '..\0',
  ],
  ...['..\\..', '..%2f..', '..%5c..', '..\u2215..', '~', '~root', '$HOME', 'x$HOME', '*', '{a,../../etc}', 'C:', 'a:b'],
  ...[
    '..?x',
    '#..',
    '\u202e..',
    '..\n',
    '\r',
    'docs',
    'DOCS',
    'd\u043ecs',
    'docs ',
    'etc',
    'a.md',
    '.env',
    'a b',
    'é',
    'e\u0301',
  ],
)
const plain = fc.constantFrom('a.md', 'b', 'docs', '.env', 'a b', 'é')
const separator = fc.constantFrom('/', '/', '/', '//', '\\', '%2f', '\u2215', '/./', '')
const nasty = fc
  .tuple(
    fc.constantFrom('/docs/', '/docs', 'docs/', '/', '', '//docs/', '/docs/../', 'https://h.example/docs/'),
    fc.array(fc.tuple(fc.oneof(plain, tricky, fc.string({ unit: 'binary', maxLength: 4 })), separator), {
      maxLength: 6,
    }),
  )
  .map(([start, parts]) => start + parts.flat().join(''))

describe('a yes for a folder', () => {
  test('never covers a path that leads elsewhere, however a server reads it', () => {
    let covered = 0
    fc.assert(
      fc.property(nasty, (path) => {
        if (!isBelow(path, '/docs')) return
        covered += 1
        for (const reading of readings(path)) expect(resolved(reading), JSON.stringify(path)).toMatch(/^\/docs\/./)
      }),
      { numRuns: 20_000 },
    )
    // It does cover some.
    expect(covered).toBeGreaterThan(10)
  })

  test('never covers an address that leads elsewhere', () => {
    fc.assert(
      fc.property(nasty, (path) => {
        const text = path.startsWith('https:') ? path : `https://h.example${path}`
        if (!isBelow(text, 'https://h.example/docs')) return
        for (const reading of readings(text)) {
          const url = new URL(reading)
          expect([url.origin, url.username]).toEqual(['https://h.example', ''])
          expect(resolved(url.pathname)).toMatch(/^\/docs\/./)
        }
      }),
      { numRuns: 20_000 },
    )
  })

  test('made from a call covers that call, and no call with any other folder, name or place', () => {
    const name = fc.constantFrom('path', 'to', 'content', 'cwd', 'flag')
    const value = fc.oneof(
      nasty,
      fc.constantFrom('/docs/a', '/docs/b/c', 'text', 'two\nlines', 3, true, ['/x'], { a: '~' }),
    )
    const args = fc.dictionary(name, value as fc.Arbitrary<never>, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>
    fc.assert(
      fc.property(args, args, (given, other) => {
        for (const where of wheresFor({ arguments: given })) {
          expect(isWhere(where, given)).toBe(true)
          if (!isWhere(where, other)) continue
          for (const [key, one] of Object.entries(other)) {
            const constraint = where.arguments.find((constraint) => constraint.name === key)
            if (constraint === undefined) expect(where.any).toContain(key)
            else if ('is' in constraint) expect(one).toBe(constraint.is)
            else expect(resolved(one as string).startsWith(`${resolved(constraint.below)}/`)).toBe(true)
          }
        }
      }),
      { numRuns: 5_000 },
    )
  })

  test.each([
    '/docs',
    '/docs/',
    '/docs//a',
    '/docs/./a',
    '/docs/../etc/passwd',
    '/docs/a/../../etc',
    '/docs/%2e%2e/etc',
    '/docs/a%2fb',
    '/docs\\..\\etc',
    '/docs/a\\..\\..\\etc',
    '/docs2/a',
    '/DOCS/a',
    '/d\u043ecs/a',
    '/docs/\uff0e\uff0e/etc',
    '/docs/..\u2215etc',
    '/docs/..;/etc',
    '/docs/a\0.md',
    '/docs/a\n',
    '/docs/ ../etc',
    '/docs/a. /b',
    '/docs/*',
    '/docs/{a,/etc/passwd}',
    '/docs/$(id)',
    '/docs/`id`',
    '/docs/a;id',
    '/docs/a&id',
    '/docs/a|id',
    '/docs/a:stream',
    '/docs/~root',
    '/docs/e\u0301',
    '/docs/a /etc/passwd',
    'docs/a',
    './docs/a',
    ' /docs/a',
    'file:///docs/a',
    'C:/docs/a',
    'C:\\docs\\a',
    '~/docs/a',
    '$HOME/docs/a',
  ])('does not cover %j', (path) => expect(isBelow(path, '/docs')).toBe(false))

  test.each(['/docs/a.md', '/docs/b/c d.txt', '/docs/.env', '/docs/é/ü', '/docs/a-b_c+d@e=f,g'])('covers %j', (path) =>
    expect(isBelow(path, '/docs')).toBe(true),
  )

  test.each([
    'https://h.example/v1',
    'https://h.example/v1?x=1',
    'http://h.example/v1/a',
    'https://h.example:8443/v1/a',
    'https://H.example/v1/a',
    'https://h.example./v1/a',
    'https://me@h.example/v1/a',
    'https://h.example@evil.example/v1/a',
    'https://h.example\\@evil.example/v1/a',
    'https://h.example.evil.example/v1/a',
    'https://h.example/v1/../admin',
    'https://h.example/v1/%2e%2e/admin',
    'https://h.example/v1/a%2f..',
    'https://h.example/v1/;/admin',
    'https://h.example/v1/a#b',
    'https://h.ex\u00e4mple/v1/a',
    'https:///h.example/v1/a',
    'https:h.example/v1/a',
  ])('to an address does not cover %j', (url) => expect(isBelow(url, 'https://h.example/v1')).toBe(false))

  test('to an address covers what is below it, whatever is asked of it', () => {
    expect(isBelow('https://h.example/v1/a/b?c=d%2Fe&f=..', 'https://h.example/v1')).toBe(true)
    expect(isBelow('https://h.example/v1', 'https://h.example')).toBe(true)
  })
})

describe('the folders that are offered', () => {
  test.each<[string, readonly string[]]>([
    ['/docs/plans/a.md', ['/docs/plans', '/docs']],
    ['/a/b/c/d/e', ['/a/b/c/d', '/a/b/c', '/a/b']],
    ['/a.md', []],
    ['docs/a.md', ['docs']],
    ['a.md', []],
    ['/docs/../a', []],
    ['https://h.example/v1/a', ['https://h.example/v1', 'https://h.example']],
    ['https://h.example/', []],
    ['/d\u043ecs/a', []],
    [`/${'x'.repeat(90)}/a`, []],
  ])('for %s', (path, folders) => expect(foldersOf(path)).toEqual(folders))

  test.each<[string, JsonObject, readonly string[]]>([
    [
      'a path and its content',
      { path: '/docs/a/b.md', content: 'text' },
      ['where path is below /docs/a, with any content', 'where path is below /docs, with any content'],
    ],
    [
      'two paths together',
      { from: '/docs/a/b', to: '/tmp/c/d' },
      ['where from is below /docs/a and to is below /tmp/c', 'where from is below /docs and to is below /tmp'],
    ],
    [
      'a path of a coding agent, with its folder as it is',
      { file_path: '/me/p/src/a.ts', old_string: 'a', new_string: 'b', cwd: '/me/p' },
      [
        'where file_path is below /me/p/src and cwd is /me/p, with any old_string and new_string',
        'where file_path is below /me/p and cwd is /me/p, with any old_string and new_string',
        'where file_path is below /me and cwd is /me/p, with any old_string and new_string',
      ],
    ],
    ['no place at all', { text: 'hello', count: 3 }, []],
    ['a place that no folder holds', { path: '/docs/a', other: '../x' }, []],
    ['places in a list', { path: '/docs/a', others: ['/etc/passwd'] }, []],
    ['places in an object', { path: '/docs/a', options: { target: '~/.ssh' } }, []],
    ['only the working folder', { command: 'ls', cwd: '/me/p' }, []],
    ['a name that is not what it looks like', { 'pa\u202eth': '/docs/a' }, []],
  ])('are made of %s', (_, given, words) =>
    expect(wheresFor({ arguments: given }).map((where) => whereWords(where, String))).toEqual(words),
  )

  test('come before all of the tool, and on the page only', () => {
    const call = write('/docs/a.md')
    const decision = decide(readPolicy(asking), call)
    const texts = choicesFor(call, decision, alice, 'page').map(choiceText)
    expect(texts.slice(0, 4)).toEqual([
      'allow_once',
      'always_allow/below-1/hour/this',
      'always_allow/below-1/revoked/this',
      'always_allow/tool/hour/this',
    ])
    expect(choicesFor(call, decision, alice, 'form').map(choiceText).join()).not.toContain('below')
    const [, choice] = choicesFor(call, decision, alice, 'page')
    expect(choice && choiceWords(choice, call, true)).toMatch(
      /^Allow write_file where path is below \/docs, with any content, for an hour, for /,
    )
  })
})

test.each([
  ['/etc/passwd', true],
  ['..', true],
  ['.env', true],
  ['a/b', true],
  ['a\\b', true],
  ['~', true],
  ['file:a', true],
  ['C:a', true],
  ['%2e%2e', true],
  ['a%2fb', true],
  ['a\u2215b', true],
  ['me@example.com', true],
  ['$HOME', true],
  [' /etc/passwd ', true],
  ['/etc/passwd\n', true],
  ['my folder/../../etc/passwd', true],
  ['my folder\\..\\secret', true],
  ['my folder/..', true],
  ['my folder/\uff0e\uff0e/x', true],
  ['my folder/%2E%2e/x', true],
  ['hello', false],
  ['yes and/or no... 50%', false],
  ['two words', false],
  ['see /etc/passwd', false],
  ['// a comment\nint a;', false],
])('that %j may name a place is %s', (text, isPlace) => expect(mayBePlace(text)).toBe(isPlace))

describe.each(everyAssent)('on $name', ({ assent: fresh }) => {
  test('a lasting yes below a folder runs calls there unasked, and asks about all others', async () => {
    const assent = await fresh({ policy: asking })
    await asksAnd(assent, { choice: 'always_allow/below-1/revoked/this' }, write('/docs/a.md'))
    const upstream = anUpstream(assent)
    const kinds = []
    const others = [
      write('/docs/b/c.md', { content: 'another text' }),
      write('/etc/passwd'),
      write('/docs/../etc/passwd'),
      write('/docs/b.md', { content: '/etc/passwd' }),
      write('/docs/b.md', { content: 'a b/../../etc/passwd' }),
      write('/docs/b.md', { mode: 'append' }),
      aCall({ tool: 'delete_file', arguments: { path: '/docs/a.md' } }),
      { ...write('/docs/b.md'), definition: 'definition-2' },
      { ...write('/docs/b.md'), requester: { participant: alice, client: 'other' } },
    ]
    for (const [index, call] of others.entries()) kinds.push((await upstream.run(call, `w${index}`)).kind)
    expect(kinds).toEqual(['done', ...Array(others.length - 1).fill('question')])

    const [grant] = await assent.approvals.list(alice, 10)
    expect(grant?.where).toEqual({ arguments: [{ name: 'path', below: '/docs' }], any: ['content'] })
    if (grant === undefined) throw new Error('It was to be kept.')
    // A version that does not know of folders finds a yes for another definition.
    expect(grant.definition).not.toBe('definition-1')
    await assent.approvals.revoke(grant.id, alice)
    expect((await upstream.run(write('/docs/c.md'), 'w-revoked')).kind).toBe('question')
  })
})

test('a folder that was not offered is no yes', async () => {
  const assent = await anAssent({ policy: asking })
  const asked = await asks(assent, write('/docs/a.md'))
  for (const choice of [
    'always_allow/below-2/hour/this',
    'always_allow/below-0/hour/this',
    'always_allow/below-1/hour/all',
  ]) {
    expect(await say(assent, asked, { choice })).toMatchObject({ kind: 'invalid' })
  }
})
