import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { describe, expect, test } from 'vitest'
import { isPlainObject, type JsonObject } from '../../src/base/json.ts'
import { newToken } from '../../src/participant/api-token.ts'
import type { ApiRight } from '../../src/participant/owned.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { alice, bob } from '../support/approval/a-call.ts'
import { enrolledBrowser, signedInBrowser, type TestBrowser } from '../support/test-browser.ts'
import { approvalPlace, waitingCall } from '../support/web/approvals.ts'
import { askLocal, auditOf, localPlace, type Place } from '../support/web/places.ts'

const origin = 'http://127.0.0.1:4180'

interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a reply.
  readonly body: any
}

interface Sent {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

async function api({ web }: Place, path: string, { token, body, headers = {} }: Sent = {}): Promise<Reply> {
  const response = await web.fetch(
    new Request(new URL(path, origin), {
      headers: {
        host: '127.0.0.1:4180',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

async function tokenOf(
  { assent }: Place,
  participant: ParticipantId,
  rights: readonly ApiRight[] = ['status', 'list', 'answer', 'answer-own'],
  days = 30,
): Promise<string> {
  const { token, record } = newToken({ participant, name: 'Deck', rights, days }, assent.clock.now())
  await assent.store.tokens.add(record)
  return token
}

const answerPath = (id: string) => `/api/questions/${id}/answer`
const allow = { choice: 'allow_once' }

/** A call that may be allowed by a channel. */
const byChannel = () => approvalPlace({ answer: 'channel' })

async function statusOf({ assent }: Place, id: string) {
  return (await assent.get(id as never))?.state.kind
}

test('an address that the API does not have is refused as JSON', async () => {
  const place = await localPlace()
  for (const path of ['/api/nothing', '/api/questions/x/answer/y']) {
    expect(await api(place, path)).toMatchObject({ status: 404, body: { error: { code: 'not-found' } } })
  }
})

describe('a program with a token', () => {
  test('sees what waits for its person, and allows one call', async () => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const token = await tokenOf(place, alice)
    const listed = await api(place, '/api/questions', { token })
    expect(listed.status).toBe(200)
    expect(listed.body.questions).toMatchObject([
      { id: asked.id, purpose: 'approval', server: 'files', tool: 'write_file', status: 'pending', mayAnswer: true },
    ])
    expect(listed.headers.get('cache-control')).toBe('no-store')
    const one = await api(place, `/api/questions/${asked.id}`, { token })
    expect(one.body.arguments).toEqual((asked.subject as { call: { arguments: object } }).call.arguments)
    expect((await api(place, '/api/status', { token })).body).toMatchObject({ paused: false, waiting: 1 })

    const end = await api(place, answerPath(asked.id), { token, body: { ...allow, reason: 'as planned' } })
    expect([end.status, end.body]).toEqual([200, { status: 'complete' }])
    const settled = await place.assent.get(asked.id)
    expect(settled?.state).toMatchObject({ kind: 'answered', by: { participant: alice, via: 'channel' } })
    expect(await place.assent.approvals.list(alice, 10)).toEqual([])
    expect(await auditOf(place, 'token-used')).toMatchObject([{ about: asked.id, data: { choice: 'allow_once' } }])
  })

  test('denies one call', async () => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const token = await tokenOf(place, alice)
    expect((await api(place, answerPath(asked.id), { token, body: { choice: 'deny' } })).body).toEqual({
      status: 'declined',
    })
  })

  test('attack: the same answer, sent again and at once, counts once', async () => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const token = await tokenOf(place, alice)
    const ends = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        api(place, answerPath(asked.id), { token, body: { choice: at === 0 ? 'allow_once' : 'deny' } }),
      ),
    )
    expect(ends.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(ends.filter(({ status }) => status === 409)).toHaveLength(4)
    const again = await api(place, answerPath(asked.id), { token, body: allow })
    expect([again.status, again.body.error.code]).toEqual([409, 'settled'])
  })

  test.each(['page', 'passkey'] as const)('attack: its yes is not enough where the rule wants %s', async (answer) => {
    const place = await approvalPlace({ answer }, { publicUrl: 'http://localhost:4180' })
    const asked = await waitingCall(place)
    const token = await tokenOf(place, alice)
    const end = await api(place, answerPath(asked.id), { token, body: allow })
    expect([end.status, end.body.error.code]).toEqual([403, 'needs-page'])
    expect(await statusOf(place, asked.id)).toBe('open')
  })

  test('what a rule wants shown with a preview is not answered without it', async () => {
    const place = await approvalPlace({ answer: 'channel', preview: 'show' })
    const asked = await waitingCall(place)
    const token = await tokenOf(place, alice)
    expect((await api(place, '/api/questions', { token })).body.questions).toMatchObject([
      { mayAnswer: false, whyNot: 'needs-page' },
    ])
    const end = await api(place, answerPath(asked.id), { token, body: allow })
    expect([end.status, end.body.error.code]).toEqual([403, 'needs-page'])
    expect(await statusOf(place, asked.id)).toBe('open')
  })

  test('attack: an agent allows its own call with a token of the person it acts for', async () => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const token = await tokenOf(place, alice, ['list', 'answer'])
    expect((await api(place, '/api/questions', { token })).body.questions).toMatchObject([
      { mayAnswer: false, whyNot: 'own-question' },
    ])
    for (const body of [allow, { choice: 'deny' }]) {
      const end = await api(place, answerPath(asked.id), { token, body })
      expect([end.status, end.body.error.code]).toEqual([403, 'own-question'])
    }
    expect(await statusOf(place, asked.id)).toBe('open')
    expect(await auditOf(place, 'token-refused')).toMatchObject([
      { about: asked.id, data: { reason: 'own-question' } },
      { about: asked.id, data: { reason: 'own-question' } },
    ])
  })

  test('attack: the token of somebody else sees and answers nothing', async () => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const token = await tokenOf(place, bob)
    expect((await api(place, '/api/questions', { token })).body).toEqual({ questions: [] })
    const theirs = await api(place, `/api/questions/${asked.id}`, { token })
    const unknown = await api(place, '/api/questions/00000000-0000-4000-8000-000000000000', { token })
    expect([theirs.status, theirs.body]).toEqual([404, unknown.body])
    expect((await api(place, answerPath(asked.id), { token, body: allow })).status).toBe(404)
    expect(await statusOf(place, asked.id)).toBe('open')
  })

  test('attack: guessed ids lead nowhere', async () => {
    const place = await byChannel()
    const token = await tokenOf(place, alice)
    for (const id of ['x', '..%2F..%2Fetc', '%00', 'a'.repeat(65), '__proto__']) {
      expect([id, (await api(place, `/api/questions/${id}`, { token })).status]).toEqual([id, 404])
      expect([id, (await api(place, answerPath(id), { token, body: allow })).status]).toEqual([id, 404])
    }
  })

  test.each([
    ['status', '/api/questions', undefined],
    ['list', '/api/status', undefined],
    ['list', '/api/questions/some-id/answer', allow],
    ['answer', '/api/questions', undefined],
  ] as const)('attack: a token with the right %s is used at %s', async (right, path, body) => {
    const place = await byChannel()
    const token = await tokenOf(place, alice, [right])
    const end = await api(place, path, { token, ...(body && { body }) })
    expect([end.status, end.body.error.code]).toEqual([403, 'right-missing'])
    expect(await auditOf(place, 'token-refused')).toMatchObject([{ data: { reason: 'right-missing' } }])
  })

  test('attack: a token that is over, was revoked, is cut, or belongs to something else', async () => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const over = await tokenOf(place, alice, ['list', 'answer', 'answer-own'], 1)
    const revoked = await tokenOf(place, alice)
    const [, second] = await place.assent.store.tokens.list(alice)
    expect(await place.assent.store.tokens.remove(alice, second?.id ?? '')).toBe(true)
    place.clock.advance(86_400_000)
    for (const token of [over, revoked, over.slice(0, -1), `${over}x`, 'assent_', '', 'a', undefined]) {
      for (const [path, body] of [['/api/questions'], [answerPath(asked.id), allow]] as const) {
        const end = await api(place, path, { token, ...(body && { body }) })
        expect([token, end.status, end.body.error.code]).toEqual([token, 401, 'token-unknown'])
        expect(end.headers.get('www-authenticate')).toContain('Bearer')
      }
    }
  })

  test('attack: a page of another site uses the cookie of the person', async () => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const headers of [{ cookie }, { cookie, origin: 'https://evil.example' }]) {
      const end = await api(place, answerPath(asked.id), { body: allow, headers })
      expect(end.status).toBe(401)
      expect(end.headers.get('access-control-allow-origin')).toBeNull()
    }
    const token = await tokenOf(place, alice)
    // What a form of another site can send.
    const plain = await api(place, answerPath(asked.id), {
      token,
      body: JSON.stringify(allow),
      headers: { 'content-type': 'text/plain' },
    })
    expect(plain.status).toBe(415)
    expect(await statusOf(place, asked.id)).toBe('open')
  })

  test.each([
    [{}, 400],
    [{ choice: 'always_allow/tool/hour/this' }, 400],
    [{ choice: 'allow_once', content: {} }, 400],
    [{ choice: 'allow_once', reason: 1 }, 400],
    ['{', 400],
    ['[]', 400],
    [{ choice: 'allow_once', reason: 'x'.repeat(17_000) }, 413],
  ])('refuses the answer %j', async (body, status) => {
    const place = await byChannel()
    const asked = await waitingCall(place)
    const token = await tokenOf(place, alice)
    expect((await api(place, answerPath(asked.id), { token, body })).status).toBe(status)
    expect(await statusOf(place, asked.id)).toBe('open')
  })

  test('may ask so often in a minute, and no token uses up what another may', async () => {
    const place = await localPlace({ limits: { perTokenPerMinute: 2 } })
    const [mine, other] = [await tokenOf(place, 'local' as never), await tokenOf(place, 'local' as never)]
    const statuses: number[] = []
    for (let n = 0; n < 3; n += 1) statuses.push((await api(place, '/api/status', { token: mine })).status)
    expect(statuses).toEqual([200, 200, 429])
    expect((await api(place, '/api/status', { token: mine })).headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await api(place, '/api/status', { token: other })).status).toBe(200)
  })

  test('attack: strangers at the same address use up what they may', async () => {
    const place = await localPlace({ limits: { perAddressPerMinute: 2 } })
    const token = await tokenOf(place, 'local' as never)
    const strangers: number[] = []
    for (let n = 0; n < 3; n += 1) strangers.push((await api(place, '/api/status', { token: 'guessed' })).status)
    expect(strangers).toEqual([401, 401, 429])
    const late = await api(place, '/api/status')
    expect([late.body.error.code, late.headers.get('retry-after')]).toEqual([
      'too-many',
      expect.stringMatching(/^\d+$/),
    ])
    expect((await api(place, '/api/status', { token })).status).toBe(200)
  })

  test('lists page by page', async () => {
    const place = await localPlace()
    for (const name of ['one', 'two', 'three']) await askLocal(place, { type: name })
    const token = await tokenOf(place, 'local' as never, ['list'])
    const first = (await api(place, '/api/questions?limit=2', { token })).body
    const second = (await api(place, `/api/questions?limit=2&after=${first.next}`, { token })).body
    expect([first.questions.length, second.questions.length, second.next]).toEqual([2, 1, undefined])
    expect(second.questions[0].mayAnswer).toBe(false)
    for (const limit of ['0', '201', 'x', '-1'])
      expect((await api(place, `/api/questions?limit=${limit}`, { token })).status).toBe(400)
    for (const after of ['', '%00', 'a%20b'])
      expect((await api(place, `/api/questions?after=${after}`, { token })).status).toBe(400)
  })
})

describe('the description of the API', () => {
  test('names every address with its methods, and no other', async () => {
    const place = await localPlace()
    const { status, body } = await api(place, '/api/openapi.json')
    expect(status).toBe(200)
    expect(body.openapi).toBe('3.1.0')
    const { programsRoutes } = await import('../../src/web/routes/programs.ts')
    const served = programsRoutes()
      .routes.filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.toSorted()).toEqual(served.toSorted())
    const references = JSON.stringify(body).match(/#\/components\/schemas\/\w+/g) ?? []
    for (const reference of references) {
      expect(body.components.schemas[reference.split('/').at(-1) as string]).toBeDefined()
    }
  })

  test('is true of every answer that the API gives, with no field left out', async () => {
    const place = await byChannel()
    const [asked, second] = [await waitingCall(place), await waitingCall(place, { tool: 'other' })]
    const [token, poor] = [await tokenOf(place, alice), await tokenOf(place, alice, ['answer'])]
    const description = (await api(place, '/api/openapi.json')).body
    const one = '/api/questions/{id}'
    const answer = `${one}/answer`
    const by = { token }
    const sent: readonly [path: string, status: number, id: string, how: Sent][] = [
      ['/api/openapi.json', 200, '', {}],
      ['/api/status', 200, '', by],
      ['/api/status', 401, '', {}],
      ['/api/status', 403, '', { token: poor }],
      ['/api/questions', 200, '', by],
      ['/api/questions', 401, '', {}],
      ['/api/questions', 403, '', { token: poor }],
      [one, 200, asked.id, by],
      [one, 404, 'none', by],
      [answer, 400, asked.id, { ...by, body: '{' }],
      [answer, 413, asked.id, { ...by, body: 'x'.repeat(17_000) }],
      [answer, 415, asked.id, { ...by, body: '{}', headers: { 'content-type': 'text/plain' } }],
      [answer, 200, asked.id, { ...by, body: allow }],
      [answer, 409, asked.id, { ...by, body: allow }],
      [one, 200, asked.id, by],
      [answer, 404, 'none', { ...by, body: allow }],
      [answer, 200, second.id, { ...by, body: { choice: 'deny', reason: 'Not now' } }],
    ]
    for (const [path, status, id, how] of sent) {
      const reply = await api(place, path.replace('{id}', id), how)
      const method = how.body === undefined ? 'get' : 'post'
      const told = description.paths[path][method].responses[status]
      const { schema } = told.content['application/json']
      const validate = new AjvJsonSchemaValidator().getValidator(
        closed({ ...schema, components: description.components }),
      )
      const { valid, errorMessage } = validate(reply.body)
      expect({ path, status: reply.status, valid, errorMessage }).toEqual({ path, status, valid: true })
    }
  })
})

/** The same schema, for which a field that it does not name is wrong. */
function closed(value: unknown): JsonObject {
  return JSON.parse(
    JSON.stringify(value, (_, part) =>
      isPlainObject(part) && isPlainObject(part.properties) && part.type === 'object'
        ? { additionalProperties: false, ...part }
        : part,
    ),
  )
}

describe('the page of tokens', () => {
  const wish = { name: 'Deck', right: 'list', days: '30' }
  const made = (text: string) => /assent_[\w-]{43}/.exec(text)?.[0]
  const make = (browser: TestBrowser, over: Record<string, string> = {}) =>
    browser.post('/tokens', { ...wish, ...over })

  test('makes a token, shows it once, lists it, and revokes it', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    await browser.get('/tokens')
    const reply = await make(browser)
    const token = made(reply.text)
    expect((await api(place, '/api/questions', { token })).status).toBe(200)
    const { text } = await browser.get('/tokens')
    expect(text).toContain('Deck')
    expect(made(text)).toBeUndefined()
    const kept = JSON.stringify(await place.assent.store.tokens.listAll(10))
    expect(kept).not.toContain(token)
    const [, action = ''] = /action="(\/tokens\/[\w-]+\/revoke)"/.exec(text) ?? []
    expect((await browser.post(action)).location).toBe('/tokens')
    expect((await api(place, '/api/questions', { token })).status).toBe(401)
    expect(await auditOf(place, 'token-made')).toMatchObject([{ data: { rights: ['list'], by: 'person' } }])
    expect(await auditOf(place, 'token-revoked')).toHaveLength(1)
  })

  test.each([
    [{ name: ' ' }, 'Give it a name'],
    [{ name: 'x'.repeat(61) }, 'Give it a name'],
    [{ days: '0' }, '1 to 365 days'],
    [{ days: '366' }, '1 to 365 days'],
    [{ right: 'everything' }, 'Choose what it may do'],
    [{ right: 'answer-own' }, 'needs answer'],
  ])('makes none of %j', async (over, words) => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    await browser.get('/tokens')
    const reply = await make(browser, over)
    expect([reply.status, reply.text.includes(words)]).toEqual([422, true])
    expect(await place.assent.store.tokens.listAll(10)).toEqual([])
  })

  test('makes so many for one person, and no more', async () => {
    const place = await localPlace({ limits: { tokensPerPerson: 1 } })
    const browser = await enrolledBrowser(place)
    await browser.get('/tokens')
    expect((await make(browser)).status).toBe(200)
    expect((await make(browser)).text).toContain('which is the most')
  })

  test('attack: a stranger, another site, and somebody else', async () => {
    const place = await byChannel()
    const browser = await signedInBrowser(place, 'alice')
    await browser.get('/tokens')
    expect((await make(browser, { csrf: 'guessed' })).status).toBe(403)
    expect((await browser.post('/tokens', wish, { origin: 'https://evil.example' })).status).toBe(403)
    expect(await place.assent.store.tokens.listAll(10)).toEqual([])
    await tokenOf(place, alice)
    const [token] = await place.assent.store.tokens.list(alice)
    const other = await signedInBrowser(place, 'bob')
    expect((await other.get('/tokens')).text).not.toContain('Deck')
    expect((await other.post(`/tokens/${token?.id}/revoke`)).status).toBe(404)
    expect(await place.assent.store.tokens.list(alice)).toHaveLength(1)
  })
})
