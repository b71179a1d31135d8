import { expect } from 'vitest'
import type { Elicitation } from '../../src/index.ts'
import type { Web } from '../../src/web/index.ts'

const origin = 'http://127.0.0.1:4180'
/** A browser: it keeps its cookies, and posts the hidden fields of the page it saw last. */
export interface TestBrowser {
  readonly cookies: Map<string, string>
  csrf: string
  /** The question that the last page showed, as its form says. */
  shown: string
  /** Every byte it was ever sent. */
  readonly seen: string[]
  get(path: string, headers?: Record<string, string>): Promise<PageReply>
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<PageReply>
  /** Posts exactly these fields. */
  send(path: string, fields: readonly [string, string][], headers?: Record<string, string>): Promise<PageReply>
}

/** What a browser got for one request. */
export interface PageReply {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly location: string | null
}

export function testBrowser(
  { web }: { readonly web: Web },
  host = origin,
  env?: Parameters<Web['fetch']>[1],
): TestBrowser {
  const cookies = new Map<string, string>()
  const seen: string[] = []
  const browser: TestBrowser = {
    cookies,
    seen,
    csrf: '',
    shown: '',
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      send(path, {
        method: 'POST',
        headers,
        body: new URLSearchParams({
          csrf: browser.csrf,
          ...(browser.shown !== '' && { shown: browser.shown }),
          ...fields,
        }),
      }),
    send: (path, fields, headers = {}) =>
      send(path, { method: 'POST', headers, body: new URLSearchParams([...fields]) }),
  }

  async function send(path: string, init: RequestInit): Promise<PageReply> {
    const url = new URL(path, host)
    const headers = new Headers({ host: url.host, ...(init.headers as Record<string, string>) })
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await web.fetch(new Request(url, { ...init, headers }), env)
    for (const line of response.headers.getSetCookie()) keep(line)
    const text = await response.text()
    seen.push(text, ...[...response.headers].flat())
    if (text !== '') browser.shown = /name="shown" value="([^"]+)"/.exec(text)?.[1] ?? ''
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
export async function enrolledBrowser(place: { readonly web: Web }): Promise<TestBrowser> {
  const browser = testBrowser(place)
  const page = await browser.post(pathIn(await place.web.enrollLink()))
  expect(page.status).toBe(200)
  return browser
}

/** A browser in which someone signed in. */
export async function signedInBrowser(place: { readonly web: Web }, subject: string): Promise<TestBrowser> {
  const browser = testBrowser(place)
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
