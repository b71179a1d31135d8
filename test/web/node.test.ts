import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { enrolledBrowser, pagePath } from '../support/test-browser.ts'
import { askLocal, localPlace, type Place } from '../support/web/places.ts'

async function listen({ web }: Place): Promise<number> {
  const server = createServer(web.node)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** As a program sends it, with what `fetch` would not let through. */
function send(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string[] } = {},
) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const { body = [], ...rest } = options
    const sent = request({ port, host: '127.0.0.1', path, ...rest }, async (reply) => {
      let text = ''
      for await (const chunk of reply) text += chunk
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text })
    })
    sent.on('error', reject)
    for (const part of body) sent.write(part)
    sent.end()
  })
}

test('attack: a request of HTTP/1.0 without a Host is served as localhost', async () => {
  const port = await listen(await localPlace())
  const statusOf = (...headers: string[]) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(['GET /inbox HTTP/1.0', ...headers, '', ''].join('\r\n')),
      )
      socket.once('data', (chunk) => {
        socket.destroy()
        resolve(String(chunk).split('\r\n')[0] ?? '')
      })
      socket.on('error', reject)
    })
  expect(await statusOf()).toContain('400')
  // Served, and refused only because nobody enrolled this browser.
  expect(await statusOf('Host: localhost')).toContain('403')
})

test('the pages are served by Node, with heads, forms and cookies', async () => {
  const place = await localPlace()
  const port = await listen(place)
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place)
  const cookie = `assent=${browser.cookies.get('assent')}`

  const page = await send(port, pagePath(asked), { headers: { cookie } })
  expect(page.status).toBe(200)
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  const head = await send(port, pagePath(asked), { method: 'HEAD', headers: { cookie } })
  expect([head.status, head.text]).toEqual([200, ''])

  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1]
  const fields = new URLSearchParams({ csrf: String(csrf), answer: 'accept', 'field.branch': 'main' }).toString()
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  // In pieces, and without saying how long it is.
  const sent = await send(port, pagePath(asked), {
    method: 'POST',
    headers,
    body: [fields.slice(0, 9), fields.slice(9)],
  })
  expect([sent.status, sent.headers.location]).toEqual([303, pagePath(asked)])
  expect((await place.assent.get(asked.id))?.state).toMatchObject({ answer: { content: { branch: 'main' } } })
})

test('a body without a length is cut off where it becomes too large', async () => {
  const place = await localPlace({ limits: { bodyBytes: 1_000 } })
  const port = await listen(place)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const reply = await send(port, '/enroll?code=x', {
    method: 'POST',
    headers,
    body: ['a'.repeat(900), 'b'.repeat(900)],
  })
  expect(reply.status).toBe(413)
})

test('a host that is not ours, and what was passed on, is refused at the socket too', async () => {
  const place = await localPlace()
  const port = await listen(place)
  expect((await send(port, '/connections', { headers: { host: 'evil.example' } })).status).toBe(403)
  expect((await send(port, '/connections', { headers: { 'x-forwarded-for': '127.0.0.1' } })).status).toBe(403)
  expect((await send(port, '/connections', { headers: { host: 'evil example' } })).status).toBeGreaterThanOrEqual(400)
  expect((await send(port, '/enroll', { headers: {} })).status).toBe(403)
})
