import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { splitCommand } from '../../src/cli/call/command-line.ts'
import { nearest } from '../../src/cli/config/near-names.ts'
import { overHttp, overStdio, type Place } from '../support/asking/asking-places.ts'
import { onPage } from '../support/asks.ts'
import { testKeys } from '../support/assents.ts'
import { buildPackage } from '../support/build.ts'
import { aBrowser } from '../support/cli/browser.ts'
import { assent } from '../support/cli/cli.ts'
import { assentInTerminal, type InTerminal } from '../support/cli/terminal.ts'
import { compiled } from '../support/programs.ts'
import { temporaryFolder } from '../support/temporary.ts'

const local = onPage('local' as never)
const hostileServer = `node ${compiled(new URL('./hostile-server-process.ts', import.meta.url))}`

let place: Place
let url: string

beforeAll(async () => {
  await buildPackage()
  place = await overHttp()
  url = 'url' in place.target ? place.target.url.href : ''
})

afterAll(() => place.close())

/** At each prompt the next of these. */
async function answer({ see, type }: InTerminal, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await see('› ')
    type(key)
  }
}

describe('in a terminal', () => {
  test('asks for every kind of field, lets each be changed, and sends what was looked at', async () => {
    const terminal = assentInTerminal(['call', url, 'every-field'])
    await terminal.see('asks')
    await terminal.see('│ Tell us everything')
    await answer(terminal, ['A\r', '\r', 'nobody\r', 'a@example.com\r', '\r', '2026-02-30\r', '2026-02-28\r'])
    await answer(terminal, ['2026-07-28T09:30:00Z\r', '1.5\r', '0.25\r', '2.5\r', '4\r', 'maybe\r', 'n\r', 'l\r'])
    await answer(terminal, ['\x1b[B\x1b[B\r'])
    // The arrow keys draw the prompt anew.
    await terminal.see('11 of 13')
    await answer(terminal, ['cir\r', '1,2,3\r', '1, wed\r', ':none\r'])
    await terminal.see('12. Days: mon, wed')
    await answer(terminal, ['2\r', 'b@example.com\r'])
    await terminal.see('2. Email: b@example.com')
    await answer(terminal, ['send\r'])
    await terminal.see('{"name"')
    expect(await terminal.ended()).toBe(0)
    const [, sent = ''] = /(\{"name".*\})/.exec(terminal.shown()) ?? []
    expect(JSON.parse(sent)).toEqual({
      name: 'Ada',
      email: 'b@example.com',
      day: '2026-02-28',
      moment: '2026-07-28T09:30:00Z',
      ratio: 0.25,
      count: 4,
      loud: false,
      size: 'l',
      colour: 'g',
      shape: 'o',
      days: ['mon', 'wed'],
      meals: [],
    })
    for (const problem of ['at least 2 characters', 'name@example.com', 'must be a date', 'at most 1', 'whole number'])
      expect(terminal.shown()).toContain(problem)
    for (const problem of ['yes or no', 'at most 2 choices']) expect(terminal.shown()).toContain(problem)
  })

  test.each([
    [':decline\r', 'You declined: nothing was done.'],
    [':cancel\r', 'You cancelled: nothing was done.'],
    ['\x03', 'You cancelled: nothing was done.'],
    ['\x04', 'You cancelled: nothing was done.'],
  ])('%j at a form ends the call with 1, in words (E11-05)', async (keys, words) => {
    const terminal = assentInTerminal(['call', url, 'branch'])
    await answer(terminal, [keys])
    await terminal.see(words)
    expect(await terminal.ended()).toBe(1)
  })

  test('asks one question after the other', async () => {
    const terminal = assentInTerminal(['call', url, 'together'])
    await answer(terminal, ['one\r', 'send\r', 'two\r', 'send\r'])
    await terminal.see('one and two')
    expect(await terminal.ended()).toBe(0)
  })

  test('opens a page after a yes, waits, and goes on by itself when it is done (E11-07, E11-36, E11-37)', async () => {
    const { env, opened } = await aBrowser()
    const page = 'https://sign.example.com/by-itself'
    const terminal = assentInTerminal(['call', url, 'sign', '--arg', 'text=by-itself'], { env })
    await terminal.see(`${new URL(url).host}/mcp asks you to open a page`)
    await terminal.see('│ Please sign')
    await terminal.see(`https://\x1b[4m\x1b[1msign.example.com\x1b[22m\x1b[24m/by-itself\r\n`)
    await terminal.see('The page is on sign.example.com.')
    await terminal.see('› ')
    expect(await opened()).toBe('')
    terminal.type('open\r')
    await terminal.see(`  ${page}\r\n`)
    await terminal.see('d: I am done, c: cancel')
    await expect.poll(() => opened()).toBe(`${page}\n`)
    const { id } = await place.waiting(({ question }) => 'url' in question && question.url === page)
    await place.assent.answer(id, local, { action: 'accept' })
    await terminal.see('signed accept')
    expect(await terminal.ended()).toBe(0)
    // No status line is drawn over the result, or left below it.
    expect(terminal.shown().split('signed accept')[1]).toBe('\r\n')
  })

  test.each([
    [':decline\r', 'You declined'],
    ['\x03', 'You cancelled'],
  ])('%j at a page opens nothing', async (keys, words) => {
    const { env, opened } = await aBrowser()
    const terminal = assentInTerminal(['call', url, 'sign', '--arg', 'text=no'], { env })
    await answer(terminal, [keys])
    await terminal.see(words)
    expect(await terminal.ended()).toBe(1)
    expect(await opened()).toBe('')
  })

  test.each(['c', '\x03'])('%j leaves a page that is open', async (key) => {
    const { env } = await aBrowser()
    const terminal = assentInTerminal(['call', url, 'sign', '--arg', `text=leave-${key.charCodeAt(0)}`], { env })
    await answer(terminal, ['open\r'])
    await terminal.see('c: cancel')
    terminal.type(key)
    await terminal.see('You cancelled')
    expect(await terminal.ended()).toBe(1)
  })

  test('works in a narrow window, without colours', async () => {
    const terminal = assentInTerminal(['call', url, 'branch'], { env: { NO_COLOR: '1' }, columns: 30 })
    await answer(terminal, ['main\r', 'send\r'])
    await terminal.see('on main')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.shown()).not.toMatch(/\[\d+m/)
  })

  test('starts a server by its command line, and stops at Ctrl-C while it runs', async () => {
    const terminal = assentInTerminal(['call', hostileServer, 'slow'])
    await terminal.see('runs slow')
    terminal.type('\x03')
    await terminal.see('Stopped.')
    expect(await terminal.ended()).toBe(130)
  })

  test('a hostile server gets no escape to the terminal (E11-38)', async () => {
    for (const [tool, code] of [
      ['say', 0],
      ['fail', 1],
    ] as const) {
      const terminal = assentInTerminal(['call', hostileServer, tool, '--verbose'], { env: { NO_COLOR: '1' } })
      expect(await terminal.ended()).toBe(code)
      expect(terminal.shown()).toContain('‹U+202E›evil‹U+009B›31m')
      const outside = terminal.shown().replaceAll('\r\x1b[2K', '').replaceAll('\r\n', '')
      expect(outside).not.toMatch(/[\p{Cc}\u202e]/u)
    }
  })
})

describe('without a terminal', () => {
  test.each([
    [['branch'], /“Which branch\?” It needs: branch\.\n.*--answer branch=…/],
    [['branch', '--answer', 'branch=much-too-long'], /at most 8 characters/],
    [['sign', '--arg', 'text=x'], /needs a yes to open https:\/\/sign\.example\.com\/x\.\n.*--yes-open/],
  ])('%j says what input was needed, and does not hang', async (args, words) => {
    const ran = await assent(['call', url, ...args])
    expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringMatching(words) })
  })

  test('takes answers from the command line and from a file', async () => {
    expect(await assent(['call', url, 'branch', '--answer', 'branch=main'])).toMatchObject({
      code: 0,
      out: 'on main\n',
    })
    const file = join(await temporaryFolder(), 'answers.json')
    await writeFile(file, JSON.stringify({ email: 'a@example.com', days: ['mon'], count: 5, loud: false }))
    const ran = await assent(['call', url, 'every-field', '--answers', file, '--answer', 'count=6'])
    expect(JSON.parse(ran.out)).toMatchObject({ name: 'Ada', days: ['mon'], count: 6, loud: false })
  })

  test('opens a page with --yes-open, prints its address, and waits until it is done', async () => {
    const { env, opened } = await aBrowser()
    const page = 'https://sign.example.com/blind'
    const ran = assent(['call', url, 'sign', '--arg', 'text=blind', '--yes-open'], env)
    const { id } = await place.waiting(({ question }) => 'url' in question && question.url === page)
    await expect.poll(() => opened()).toBe(`${page}\n`)
    await place.assent.answer(id, local, { action: 'accept' })
    expect(await ran).toMatchObject({ code: 0, out: 'signed accept\n', err: expect.stringContaining(page) })
  })
})

describe('results', () => {
  test('are text for people, and as they came with --json', async () => {
    expect(await assent(['call', url, 'echo', '{"text":"a\\tb"}'])).toMatchObject({ code: 0, out: 'a    b\n', err: '' })
    const raw = await assent(['call', url, 'echo', '--arg', 'text=1', '--json'])
    expect(JSON.parse(raw.out)).toMatchObject({ content: [{ type: 'text', text: '1' }] })
    const measured = await assent(['call', url, 'measure', '--answer', 'metres=2.5'])
    expect(JSON.parse(measured.out)).toEqual({ metres: 2.5 })
  })

  test('of a hostile server are harmless also in a pipe, and kinds that are no text say their size', async () => {
    const ran = await assent(['call', hostileServer, 'say'])
    expect(ran.out).toContain('‹U+001B›[2J')
    expect(ran.out).toContain('3 bytes]')
    expect(ran.out + ran.err).not.toMatch(/[^\P{Cc}\n]/u)
    expect((await assent(['call', hostileServer])).out).not.toMatch(/[^\P{Cc}\n]/u)
  })

  test('that are errors go to standard error', async () => {
    const ran = await assent(['call', hostileServer, 'fail'])
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('evil') })
  })

  test('that do not come in time are not waited for', async () => {
    const ran = await assent(['call', hostileServer, 'slow', '--timeout', '300ms'])
    expect(ran.code).not.toBe(0)
    expect(ran.out).toBe('')
  })
})

describe('which server', () => {
  test('without a tool, lists the tools with what they take', async () => {
    const { out, code } = await assent(['call', url])
    expect(code).toBe(0)
    expect(out).toContain('echo\n    text: string\n')
    const { out: json } = await assent(['call', url, '--json'])
    expect(JSON.parse(json).map(({ name }: { name: string }) => name)).toContain('echo')
  })

  test('by a command line, in words or by --command, without a shell', async () => {
    const stdio = await overStdio()
    onTestFinished(() => stdio.close())
    const args = 'args' in stdio.target ? stdio.target.args.map((arg) => `"${arg}"`).join(' ') : ''
    const line = `"${process.execPath}" ${args}`
    const env = { ASSENT_KEYS: testKeys }
    expect(await assent(['call', line, 'echo', '--arg', 'text=$(id)'], env)).toMatchObject({ code: 0, out: '$(id)\n' })
    expect(await assent(['call', '--command', line, 'echo', '{"text":"x"}'], env)).toMatchObject({
      code: 0,
      out: 'x\n',
    })
  })

  test('by a name in a config file, with the environment filled in', async () => {
    const file = join(await temporaryFolder(), 'mcp.json')
    const servers = {
      example: { url: `${url}\${SUFFIX:-}`, headers: { 'x-test': `\${env:HEADER}` } },
      unset: { url: `\${env:NOT_SET_ANYWHERE}` },
      empty: {},
      old: { type: 'sse', url },
    }
    await writeFile(file, JSON.stringify({ mcpServers: servers }))
    const run = (name: string) => assent(['call', '--config', file, name, 'echo', '--arg', 'text=hi'], { HEADER: '1' })
    expect(await run('example')).toMatchObject({ code: 0, out: 'hi\n' })
    expect((await run('exmple')).err).toContain('Did you mean example?')
    expect((await run('unset')).err).toContain('NOT_SET_ANYWHERE, which is not set')
    expect((await run('empty')).err).toContain('neither a url nor a command')
    expect((await run('old')).err).toContain('sse')
    expect((await run('other')).err).toContain('It has example, unset, empty, old.')
  })

  test('by a name in assent.yaml here, whatever else is in it', async () => {
    const folder = await temporaryFolder()
    const text = `version: 1\nstore: "\${env:NOT_SET_ANYWHERE}"\nservers:\n  example: { url: "${url}" } # ours\n`
    await writeFile(join(folder, 'assent.yaml'), text)
    const run = (...args: string[]) => assent(['call', ...args, 'echo', '--arg', 'text=hi'], {}, folder)
    expect(await run('example')).toMatchObject({ code: 0, out: 'hi\n' })
    expect(await run('exampel')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean example?') })
    await writeFile(join(folder, 'assent.yaml'), 'servers: [\n')
    expect(await run('example')).toMatchObject({ code: 2, err: expect.stringMatching(/^assent\.yaml:\d: /) })
    expect(await run(url)).toMatchObject({ code: 0, out: 'hi\n' })
  })

  test.each([
    [['call'], 2, /Name a server/],
    [['call', 'nowhere'], 2, /--command/],
    [['call', 'no-such-program x', 'echo'], 3, /no such program/],
    [['call', 'node -e process.exit(3)', 'echo'], 3, /it ended at once/],
    [['call', 'http://127.0.0.1:9/mcp'], 3, /cannot be reached/],
    [['call', 'URL', 'ecco'], 2, /Did you mean echo\?/],
    [['call', 'URL', 'echo'], 2, /echo needs text \(string\)/],
    [['call', 'URL', 'echo', '[1]'], 2, /one JSON object/],
    [['call', 'URL', 'echo', '{"text":9007199254740993}'], 2, /arguments\.text is 9007199254740993.*as a string/],
    [['call', 'URL', 'echo', '--arg', 'text'], 2, /key=value/],
    [['call', 'URL', 'echo', '--arg', 'text=1', '--arg', 'text=2'], 2, /more than once/],
    [['call', 'URL', 'echo', '{"text":1}'], 1, /text/],
    [['call', 'URL', 'echo', '--timeout', 'soon'], 2, /not a duration/],
    [['call', 'URL', 'echo', '--answers', '/no/such/file'], 2, /cannot be read/],
    [['call', '--config', '/no/such/file', 'x'], 2, /cannot be read/],
  ] as const)('%j ends with %d and clear words', async (args, code, words) => {
    const ran = await assent(args.map((arg) => (arg === 'URL' ? url : arg)))
    expect(ran.err).toMatch(words)
    expect(ran.err).not.toMatch(/^\s+at /m)
    expect(ran.code).toBe(code)
  })

  test('the address of a web page is told apart, without the page', async () => {
    const server = createServer((_, response) =>
      response.writeHead(404).end('<!doctype html><title>Nothing here</title>'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const ran = await assent(['call', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, 'echo'])
    expect(ran).toMatchObject({ code: 3, err: expect.stringContaining('a web page is there, and no MCP server') })
    expect(ran.err).not.toContain('Nothing here')
  })

  test('one that wants a login is told apart, and the credentials of its url are not shown', async () => {
    const server = createServer((_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const ran = await assent(['call', `http://me:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/mcp`])
    expect(ran).toMatchObject({ code: 3, err: expect.stringContaining('requires a login') })
    expect(ran.err).not.toContain('hunter2')
  })

  test('shows how, with examples', async () => {
    const { out } = await assent(['call', '--help'])
    for (const word of ['--answer', '--yes-open', '--command', 'Examples', 'Exit codes']) expect(out).toContain(word)
  })
})

test.each([
  ['node server.js', ['node', 'server.js']],
  [' a  "b c" \'d "e"\' f\\ g "h\\"i" ', ['a', 'b c', 'd "e"', 'f g', 'h"i']],
  ['a ""', ['a', '']],
  ['$(id) `id` ; rm', ['$(id)', '`id`', ';', 'rm']],
  ['', []],
])('the command line %j is %j', (line, words) => {
  expect(splitCommand(line)).toEqual(words)
})

test('a command line with an open quote is refused', () => {
  expect(() => splitCommand('a "b')).toThrow('quote')
})

test('names that are meant are found, others are not', () => {
  expect(nearest('serch', ['search', 'sync', 'delete'])).toEqual(['search'])
  expect(nearest('issue', ['create_issue', 'list'])).toEqual(['create_issue'])
  expect(nearest('zzz', ['search', 'sync'])).toEqual([])
})
