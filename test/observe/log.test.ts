import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEvents } from '../../src/base/events.ts'
import type { GatewayNews } from '../../src/call/news.ts'
import type { ElicitationNews } from '../../src/elicitation/desk.ts'
import { createLog, type LogLevel } from '../../src/observe/log.ts'
import { logAsks, logGateway } from '../../src/observe/log-news.ts'
import { alice, anElicitation, answered } from '../../src/testing/elicitations.ts'

function logging(level: LogLevel = 'info') {
  const written: string[] = []
  const log = createLog({ level, destination: { write: (line: string) => void written.push(line) } })
  const asks = createEvents<ElicitationNews>()
  const gateway = createEvents<GatewayNews>()
  logAsks(log, asks)
  logGateway(log, gateway)
  return { log, asks, gateway, written, lines: () => written.map((line) => JSON.parse(line)) }
}

const planted = 'pl4nted-s3cret'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'

describe('a planted secret is never in a line', () => {
  test.each([
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'access_token',
    'refreshToken',
    'client_secret',
    'apiKey',
    'api_key',
    'key',
    'privatekey',
    'password',
    'code',
    'code_verifier',
    'codeVerifier',
    'state',
    'requestState',
    'credential',
  ])('in a field named %s, at any depth', (name) => {
    const { log, written } = logging()
    log.info({ [name]: planted }, 'one')
    log.info({ a: { b: [{ c: { [name]: { deeper: planted } } }] } }, 'two')
    log.info({ headers: new Map([[name, planted]]), more: new Headers({ [name]: planted }) }, 'three')
    expect(written).toHaveLength(3)
    expect(written.join('')).not.toContain(planted)
    expect(written.join('').split('[hidden]').length - 1).toBe(4)
  })

  test.each([
    `Bearer ${planted}`,
    `authorization: bearer ${planted}`,
    `Basic ${planted}`,
    `sk_live_${planted}`,
    `sk-proj-${planted}`,
    `ghp_${planted}`,
    `https://example.com/callback?code=${planted}&state=${planted}&x=1`,
    `{"access_token":"${planted}","expires_in":1}`,
    `{"outer":"{\\"refresh_token\\":\\"${planted}\\"}"}`,
    `postgres://user:${planted}@db.example.com/assent`,
    `password=${planted}; other`,
    `Cookie: session=${planted}`,
  ])('in a text such as %s', (text) => {
    const { log, written } = logging()
    const cause = new Error(text)
    log.warn({ reason: text, [text]: 1 }, text)
    log.error(new Error(text, { cause }))
    log.error({ err: Object.assign(new Error('plain'), { detail: text, token: planted }) }, `failed: ${text}`)
    log.info(`%s and %j`, text, { text })
    expect(written).toHaveLength(4)
    expect(written.join('')).not.toContain(planted)
  })

  test('as a JWT, whole or cut', () => {
    const { log, written } = logging()
    log.info({ said: `it was ${jwt}.`, part: jwt.slice(0, 30) }, jwt)
    expect(written.join('')).not.toMatch(/eyJ|c2lnbmF0dXJl/)
  })

  test('as bytes, however they come', () => {
    const { log, written } = logging()
    log.info({ body: Buffer.from(planted), list: [new Uint8Array([112, 108])] }, 'bytes')
    expect(written.join('')).not.toMatch(/112|cGw0/)
  })
})

test('whatever is logged, a line is one line of JSON', () => {
  const { log, written, lines } = logging()
  const circle: Record<string, unknown> = { name: 'circle' }
  circle.self = circle
  log.info({ circle, big: 12n, nothing: undefined, run: () => planted, at: new Date(0) }, 'odd\nthings')
  fc.assert(fc.property(fc.anything(), fc.string(), (value, text) => log.info({ value }, text)))
  for (const line of written) expect(line.split('\n')).toEqual([line.slice(0, -1), ''])
  expect(lines()[0]).toMatchObject({ level: 'info', msg: 'odd\nthings', big: '12', at: '1970-01-01T00:00:00.000Z' })
})

test('an error tells its type, its word for programs and its causes', () => {
  const { log, lines } = logging()
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  log.error({ err: new TypeError('broken', { cause }) }, 'failed')
  expect(lines()[0]).toMatchObject({
    level: 'error',
    err: { type: 'TypeError', message: 'broken', cause: { problem: 'ECONNREFUSED' } },
  })
})

test('a question leaves a line when it is asked and one when it is settled, with its id and without its words', () => {
  const { asks, written, lines } = logging()
  const kept = anElicitation({
    question: { mode: 'url', message: `Do ${planted}`, url: `https://example.com/${planted}` },
    metadata: { note: planted },
    subject: { arguments: { text: planted } },
  })
  asks.tell({ kind: 'asked', elicitation: kept })
  asks.tell({ kind: 'joined', elicitation: kept })
  asks.tell({
    kind: 'settled',
    elicitation: answered(kept, { action: 'accept', content: { branch: planted } }),
    outcome: 'accepted',
  })

  const facts = { level: 'info', elicitation: kept.id, server: 'github', mode: 'url', purpose: 'input' }
  expect(lines()).toMatchObject([
    { ...facts, msg: 'asked' },
    { ...facts, msg: 'settled', outcome: 'accepted' },
  ])
  expect(written.join('')).not.toContain(planted)
  expect(written.join('')).not.toContain(alice)
})

test('what could not be asked or told is a warning, what failed an error', () => {
  const { asks, gateway, lines } = logging()
  const elicitation = anElicitation()
  asks.tell({ kind: 'fallback', server: 'github', reason: 'no-session' })
  asks.tell({ kind: 'answer-refused', elicitation, reason: 'participant_mismatch' })
  asks.tell({ kind: 'channel-failed', elicitation, channel: 'webhook', error: new Error(`Bearer ${planted}`) })
  asks.tell({ kind: 'tidy-failed', error: new Error('locked') })
  gateway.tell({ kind: 'upstream-changed', server: 'github', state: 'down', reason: 'it said \u001b[31mboo\u202e' })
  gateway.tell({ kind: 'upstream-changed', server: 'github', state: 'up' })

  expect(lines().map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'a client could not be asked'],
    ['warn', 'an answer was refused'],
    ['warn', 'a channel failed'],
    ['error', 'tidying failed'],
    ['warn', 'an upstream is down'],
    ['info', 'an upstream is up'],
  ])
  expect(lines()[4].reason).toBe('it said boo‹U+202E›')
})

test('what was negotiated is a line, with no more of a stranger than a name', () => {
  const { gateway, written, lines } = logging()
  const capabilities = Array.from({ length: 1_000 }, (_, n) => `capability ${n}`)
  gateway.tell({
    kind: 'negotiated',
    side: 'client',
    name: 'x'.repeat(9_000),
    version: '1',
    revision: '2026-07-28',
    capabilities,
  })
  expect(lines()[0]).toMatchObject({ msg: 'negotiated', side: 'client', revision: '2026-07-28' })
  expect(lines()[0].capabilities).toHaveLength(20)
  expect((written[0] as string).length).toBeLessThan(1_000)
})

test('calls leave no line, unless somebody asked for all of it', () => {
  const news: GatewayNews = { kind: 'call-ended', server: 'github', outcome: 'failed', durationMs: 4, ownMs: 1 }
  const quiet = logging()
  quiet.gateway.tell(news)
  expect(quiet.written).toEqual([])

  const all = logging('debug')
  all.gateway.tell(news)
  expect(all.lines()).toMatchObject([{ level: 'debug', server: 'github', outcome: 'failed', ownMs: 1 }])
})

test('lines go to stderr by default, for stdout may belong to a client', async () => {
  const program = `
    import { createLog } from './src/observe/log.ts'
    createLog().info({ here: true }, 'hello')
    createLog({ destination: 'stdout' }).info('there')`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  expect(JSON.parse(stderr)).toMatchObject({ msg: 'hello', here: true })
  expect(JSON.parse(stdout)).toMatchObject({ msg: 'there' })
})
