import { expect } from 'vitest'
import type { Provider } from '../../src/connection/provider.ts'
import type { Assent, AssentOptions, Elicitation } from '../../src/index.ts'
import type { Login, SigningIn } from '../../src/participant/identify.ts'
import { participantId } from '../../src/participant/participant.ts'
import { localRequester } from '../../src/participant/requester.ts'
import { type FixedClock, fixedClock } from '../../src/testing/index.ts'
import { createWeb, type Web, type WebOptions } from '../../src/web/index.ts'
import { anAsk } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'

const origin = 'http://127.0.0.1:4180'
export const issuer = 'https://login.example.com'

/** Pages of an installation, with the Assent behind them. */
export interface Place {
  readonly assent: Assent
  readonly web: Web
  readonly clock: FixedClock
  readonly errors: unknown[]
}

/** Without a login: one local person, by enrolled browsers. */
export async function localPlace(options: WebOptions = {}, assentOptions: AssentOptions = {}): Promise<Place> {
  const clock = fixedClock()
  const assent = await anAssent({ clock, ...assentOptions })
  const errors: unknown[] = []
  return { assent, clock, errors, web: createWeb(assent, { onError: (error) => errors.push(error), ...options }) }
}

/** With a login at which `code` says who signs in. */
export async function loginPlace(options: WebOptions = {}, assentOptions: AssentOptions = {}): Promise<Place> {
  const clock = fixedClock()
  const assent = await anAssent({ clock, ...assentOptions })
  const errors: unknown[] = []
  const web = createWeb({ ...assent, login: loginByCode }, { onError: (error) => errors.push(error), ...options })
  return { assent, clock, errors, web }
}

export const left: SigningIn[] = []

const loginByCode: Login = {
  issuer,
  audience: 'https://assent.test/mcp',
  byToken: async () => undefined,
  onPages: {
    async begin(signing) {
      left.push(signing)
      return { kind: 'begun', url: `${issuer}/authorize?state=${signing.state}` }
    },
    async complete({ state }, callback) {
      // Such as "carol~admins": a name, and the groups they are in.
      const [subject = '', ...groups] = callback.searchParams.get('code')?.split('~') ?? []
      if (callback.searchParams.get('state') !== state || subject === '' || subject === 'nobody')
        return { kind: 'failed', message: 'The login said no.' }
      return { kind: 'signed-in', who: { participant: participantId({ issuer, subject }), groups } }
    },
  },
}

/** A question to the local person. */
export async function askLocal({ assent }: Place, over: Parameters<typeof anAsk>[0] = {}): Promise<Elicitation> {
  return (await assent.ask(anAsk({ requester: { ...localRequester, clientName: 'Claude Code' }, ...over }))).elicitation
}

/** A browser: it keeps its cookies and knows the form token of the page it saw last. */
export interface TestBrowser {
  readonly cookies: Map<string, string>
  csrf: string
  /** Every byte it was ever sent. */
  readonly seen: string[]
  get(path: string, headers?: Record<string, string>): Promise<Page>
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Page>
}

export interface Page {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly location: string | null
}

export function aBrowser({ web }: Pick<Place, 'web'>, host = origin, env?: Parameters<Web['fetch']>[1]): TestBrowser {
  const cookies = new Map<string, string>()
  const seen: string[] = []
  const browser: TestBrowser = {
    cookies,
    seen,
    csrf: '',
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      send(path, { method: 'POST', headers, body: new URLSearchParams({ csrf: browser.csrf, ...fields }) }),
  }

  async function send(path: string, init: RequestInit): Promise<Page> {
    const url = new URL(path, host)
    const headers = new Headers({ host: url.host, ...(init.headers as Record<string, string>) })
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await web.fetch(new Request(url, { ...init, headers }), env)
    for (const line of response.headers.getSetCookie()) keep(line)
    const text = await response.text()
    seen.push(text, ...[...response.headers].flat())
    browser.csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? browser.csrf
    return { status: response.status, text, headers: response.headers, location: response.headers.get('location') }
  }

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    if (attributes.includes('Max-Age=0')) cookies.delete(name)
    else cookies.set(name, value)
  }

  return browser
}

/** A browser of the local person. */
export async function enrolledBrowser(place: Place): Promise<TestBrowser> {
  const browser = aBrowser(place)
  const page = await browser.post(pathIn(await place.web.enrollLink()))
  expect(page.status).toBe(200)
  return browser
}

/** A browser in which someone signed in. */
export async function signedInBrowser(place: Place, subject: string): Promise<TestBrowser> {
  const browser = aBrowser(place)
  const { location } = await browser.get('/login')
  const state = new URL(location as string).searchParams.get('state')
  const back = await browser.get(`/login/callback?code=${subject}&state=${state}`)
  expect(back.status).toBe(303)
  return browser
}

/** The path of an address of ours. */
export function pathIn(url: string): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

/** The path of a question's page. */
export function pagePath({ id, question }: Elicitation): string {
  return question.mode === 'url' ? pathIn(question.url) : `/elicit/${id}/form`
}

interface KeptEvent {
  readonly kind: string
  readonly about?: string
  readonly data: Record<string, unknown>
}

/** What the audit holds of this kind. */
export async function auditOf({ assent }: Place, kind: string): Promise<KeptEvent[]> {
  const events: KeptEvent[] = []
  for await (const line of assent.exportAudit()) events.push(...[JSON.parse(line).event ?? []].flat())
  return events.filter((event) => event.kind === kind)
}

/** A provider of accounts that says yes to the code `good`. */
export function aProvider(over: Partial<Provider> = {}): Provider {
  return {
    name: 'notes',
    title: 'Notes',
    host: 'notes.example.com',
    scopes: ['notes.read'],
    sending: { header: 'Authorization' },
    by: {
      kind: 'consent',
      consent: {
        begin: async ({ state }) => ({ kind: 'begun', url: `https://notes.example.com/authorize?state=${state}` }),
        async complete({ scopes }, callback) {
          const code = callback.searchParams.get('code')
          if (code === 'good') {
            return { kind: 'granted', tokens: { credential: { kind: 'tokens', accessToken: 'planted-token' }, scopes } }
          }
          if (code === 'less') {
            return {
              kind: 'granted',
              tokens: { credential: { kind: 'tokens', accessToken: 'planted-token' }, scopes: [] },
            }
          }
          if (callback.searchParams.has('error')) return { kind: 'denied' }
          return { kind: 'failed', reason: 'down', message: 'Notes could not be reached.' }
        },
        refresh: async () => ({ kind: 'unavailable', reason: 'down' }),
        revoke: async () => true,
      },
    },
    ...over,
  }
}

export const keyProvider = aProvider({
  name: 'stripe',
  title: 'Stripe',
  scopes: [],
  by: { kind: 'key', fieldLabel: 'Stripe API key' },
})
