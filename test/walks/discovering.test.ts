import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps, request as overHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../src/gateway/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { makeCertificate } from '../support/oauth/certificate.ts'
import { startOAuthServer } from '../support/oauth/oauth-server.ts'
import { type ProtectedServer, startProtectedServer } from '../support/oauth/protected-server.ts'
import { keepConnections } from '../support/server/keep-connections.ts'
import { callWhile, connectAccount, enrolled, title } from '../support/walks/installation.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { shoot } from '../support/web/live.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** A gateway with its pages at one address, which was told nothing of the accounts that its server wants. */
async function gatewayWithPages(server: ProtectedServer, certificate?: { key: Buffer; cert: Buffer }) {
  let serve: RequestListener = () => {}
  const listener: RequestListener = (request, response) => serve(request, response)
  const http = certificate === undefined ? createHttp(keepConnections, listener) : createHttps(certificate, listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const origin = certificate === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`
  const assent = await anAssent({
    publicUrl: origin,
    providers: { notes: { discover: server.url.href, title: 'Notes' } },
    policy: { default: 'allow', fallback: 'inbox' },
  })
  const web = createWeb(assent)
  const gateway = createGateway({
    assent,
    servers: { notes: { url: server.url, provider: 'notes', account: 'when-asked' } },
  })
  serve = (request, response) => {
    if (!gateway.handle(request, response)) web.node(request, response)
  }
  onTestFinished(async () => {
    web.close()
    await gateway.close()
    http.close().closeAllConnections()
  })
  return { assent, web, origin, port, gateway }
}

/** What an authorization server does with the address of a client document. */
function readDocument(cert: Buffer): (url: string) => Promise<Response> {
  return (url) =>
    new Promise((resolve, reject) => {
      overHttps(url, { ca: cert }, async (answer) => {
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk as Buffer)
        const type = answer.headers['content-type'] ?? ''
        resolve(
          new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 0, headers: { 'content-type': type } }),
        )
      })
        .on('error', reject)
        .end()
    })
}

async function readsIssuer(page: Page, origin: string, issuer: string, resource: string): Promise<void> {
  await page.goto(`${origin}/connections`)
  const words = await page.getByRole('main').textContent()
  expect(words).toContain(issuer)
  expect(words).toContain(resource)
}

test.each([
  ['2025', connect11],
  ['2026', connect26],
] as const)('a person connects at a server that nobody described; it registers clients itself (%s)', async (_, how) => {
  const oauth = await startOAuthServer({ registration: true })
  const server = await startProtectedServer(oauth.issuer)
  const place = await gatewayWithPages(server)
  const client = await how({ url: new URL(`${place.origin}/mcp/notes`) })
  onTestFinished(() => client.close())
  const page = await enrolled(browser, place)

  const result = await callWhile(client, 'read', async (url) => {
    await page.goto(url)
    const words = await page.getByRole('main').textContent()
    // The person sees where they sign in before they are sent there, and nothing was registered by opening a link.
    expect(words).toContain(new URL(oauth.issuer).host)
    expect(oauth.count('/reg')).toBe(0)
    await shoot(page, 'discovered-connect')
    await connectAccount(page, url)
  })
  expect(result.text).toBe('read done')
  expect(server.runs).toEqual(['ada'])
  await readsIssuer(page, place.origin, oauth.issuer, server.url.href)
  await shoot(page, 'discovered-connections')
})

test('a person connects at a server that reads client documents: nothing is registered anywhere', async () => {
  const certificate = await makeCertificate()
  const oauth = await startOAuthServer({ registration: true, clientDocuments: readDocument(certificate.cert) })
  const server = await startProtectedServer(oauth.issuer)
  const place = await gatewayWithPages(server, certificate)
  // The client need not trust the certificate: it is not what is tested.
  const plain = createHttp(keepConnections, (request, response) => void place.gateway.handle(request, response))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void plain.close().closeAllConnections())
  const client = await connect26({
    url: new URL(`http://127.0.0.1:${(plain.address() as AddressInfo).port}/mcp/notes`),
  })
  onTestFinished(() => client.close())
  const page = await enrolled(browser, place, { ignoreHTTPSErrors: true })

  const result = await callWhile(client, 'read', (url) => connectAccount(page, url))
  expect(result.text).toBe('read done')
  expect(oauth.count('/reg')).toBe(0)
  expect(await place.assent.store.registrations.list(10)).toEqual([])
  const [view] = await place.assent.connections.list('local' as never)
  expect(view?.issuedBy?.clientId).toMatch(`${place.origin}/oauth/client/at-`)
  await readsIssuer(page, place.origin, oauth.issuer, server.url.href)
})

test('a server that lets nobody register by itself is told with the settings that are missing', async () => {
  const oauth = await startOAuthServer()
  const server = await startProtectedServer(oauth.issuer)
  const place = await gatewayWithPages(server)
  const page = await enrolled(browser, place)
  await page.goto(`${place.origin}/oauth/connect/notes`)
  await title(page, 'Connecting did not work')
  const words = await page.getByRole('main').textContent()
  for (const part of [oauth.issuer, `${place.origin}/oauth/callback`, 'clientId', 'provider: notes', server.url.href]) {
    expect(words).toContain(part)
  }
  await shoot(page, 'discovered-neither')
})
