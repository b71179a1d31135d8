import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { createLoginDesk, type DemoClient, type LoginDesk } from './login-desk.ts'
import { loginPage, lostPage } from './login-page.ts'

/** An OAuth server for the demo: it knows one client, accepts any name, and keeps everything in memory. */
export function demoLogin(
  clock: Clock,
  issuer: string,
  client: DemoClient,
): { readonly desk: LoginDesk; readonly node: RequestListener } {
  const desk = createLoginDesk(clock, issuer, client)
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void | Promise<void>> = {
    'GET /.well-known/oauth-authorization-server': (_, response) => sendJson(response, 200, metadataOf(issuer, client)),
    'GET /authorize': (request, response) => {
      const begun = desk.begin(new URL(request.url ?? '/', issuer).searchParams)
      if (begun.kind === 'returned') return sendOn(response, begun.to)
      const page = (nonce: string) =>
        begun.kind === 'asked'
          ? loginPage(nonce, clock.now(), begun)
          : lostPage(nonce, clock.now(), `${begun.message} Nobody was signed in.`)
      sendPage(response, begun.kind === 'asked' ? 200 : 400, page, client)
    },
    'POST /authorize': async (request, response) => {
      const form = await formIn(request)
      const name = form.get('action') === 'allow' ? form.get('name')?.trim() || 'ada' : undefined
      // A page of another origin must not answer for the person.
      const isOurs = request.headers.origin === issuer
      const to = isOurs ? desk.settle(form.get('id') ?? '', name?.slice(0, 40)) : undefined
      if (to !== undefined) return sendOn(response, to)
      sendPage(response, 400, (nonce) => lostPage(nonce, clock.now(), 'This request is over.'), client)
    },
    'POST /token': async (request, response) => {
      const { status, body } = desk.token(await formIn(request))
      sendJson(response, status, body)
    },
    'POST /revoke': async (request, response) => {
      desk.revoke((await formIn(request)).get('token') ?? '')
      sendJson(response, 200, {})
    },
    'GET /userinfo': (request, response) => {
      const account = desk.accountOf((request.headers.authorization ?? '').replace(/^Bearer /i, ''))
      if (account === undefined) return sendJson(response, 401, { error: 'invalid_token' })
      sendJson(response, 200, { sub: account.name, preferred_username: account.name })
    },
  }
  return {
    desk,
    async node(request, response) {
      const route = routes[`${request.method} ${new URL(request.url ?? '/', issuer).pathname}`]
      if (request.headers.host !== new URL(issuer).host) return sendJson(response, 403, { error: 'Not served here.' })
      if (route === undefined) return sendJson(response, 404, { error: 'Not found.' })
      try {
        await route(request, response)
      } catch {
        sendJson(response, 400, { error: 'invalid_request' })
      }
    },
  }
}

function metadataOf(issuer: string, { scopes }: DemoClient): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: scopes,
    authorization_response_iss_parameter_supported: true,
  }
}

const longestForm = 16_384

async function formIn(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > longestForm) throw new Error('The form is too long.')
  }
  return new URLSearchParams(text)
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

function sendOn(response: ServerResponse, to: URL): void {
  response.writeHead(303, { location: to.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).end()
}

function sendPage(
  response: ServerResponse,
  status: number,
  page: (nonce: string) => string,
  { redirectUri }: DemoClient,
): void {
  const nonce = randomBytes(16).toString('base64')
  const ours = `'nonce-${nonce}'`
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    // Chromium applies `form-action` to the redirects that follow a form, too.
    'content-security-policy': `default-src 'none'; style-src ${ours}; script-src ${ours}; img-src data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self' ${new URL(redirectUri).origin}`,
  })
  response.end(page(nonce))
}
