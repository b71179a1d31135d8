import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lightFetch } from '../../src/cli/call/light-fetch.ts'
import { freePort } from '../support/free-port.ts'

interface Seen {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

/** A server that remembers what it was sent. */
async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url: path, headers } = request
    seen.push({ method, path, authorization: headers.authorization, body })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const posting = { method: 'POST', headers: { Authorization: 'Bearer t', 'Content-Type': 'text/plain' }, body: 'hello' }

describe('the fetch of assent call', () => {
  test('gives status, headers and body', async () => {
    const { url, seen } = await serving((_, response) => {
      response.writeHead(404, { 'Content-Type': 'application/json', 'X-Twice': ['a', 'b'] })
      response.end('{"é":1}')
    })
    const response = await lightFetch(`${url}/x?y=1`, posting)
    expect([response.status, response.ok, response.headers.get('x-twice')]).toEqual([404, false, 'a, b'])
    expect(await response.json()).toEqual({ é: 1 })
    expect(seen).toEqual([{ method: 'POST', path: '/x?y=1', authorization: 'Bearer t', body: 'hello' }])
  })

  test.each([202, 204])('gives a response with status %d and no content', async (status) => {
    const { url } = await serving((_, response) => response.writeHead(status).end())
    const response = await lightFetch(url, posting)
    expect([response.status, await response.text()]).toEqual([status, ''])
  })

  test('gives a stream of events while it is written', async () => {
    let held: ServerResponse | undefined
    const { url } = await serving((_, response) => {
      held = response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const reader = (await lightFetch(url)).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    held?.end('data: 2\n\n')
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 2\n\n')
    expect((await reader?.read())?.done).toBe(true)
  })

  test.each([
    ['gzip', gzipSync('text')],
    ['br', brotliCompressSync('text')],
  ])('reads %s, which it did not ask for', async (coding, body) => {
    const { url } = await serving((_, response) => response.writeHead(200, { 'Content-Encoding': coding }).end(body))
    expect(await (await lightFetch(url)).text()).toBe('text')
  })

  test('follows a redirect that keeps the request, and gives another origin no credentials', async () => {
    const other = await serving((_, response) => response.end('there'))
    const { url, seen } = await serving((request, response) => {
      const location = request.url === '/a' ? '/b' : `${other.url}/c`
      response.writeHead(request.url === '/a' ? 307 : 308, { Location: location }).end()
    })
    expect(await (await lightFetch(`${url}/a`, posting)).text()).toBe('there')
    expect(seen.map(({ path, authorization, body }) => [path, authorization, body])).toEqual([
      ['/a', 'Bearer t', 'hello'],
      ['/b', 'Bearer t', 'hello'],
    ])
    expect(other.seen).toEqual([{ method: 'POST', path: '/c', authorization: undefined, body: 'hello' }])
  })

  test.each([301, 302, 303])('does not make a request again that was answered with %d', async (status) => {
    const { url, seen } = await serving((request, response) => {
      if (request.method === 'POST') response.writeHead(status, { Location: '/done' })
      response.end()
    })
    await lightFetch(url, posting)
    expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/', 'hello'],
      ['GET', '/done', ''],
    ])
  })

  test('leaves a redirect to whoever asked for that, and ends a circle', async () => {
    const { url, seen } = await serving((_, response) => response.writeHead(307, { Location: '/' }).end())
    expect((await lightFetch(url, { ...posting, redirect: 'manual' })).status).toBe(307)
    expect(seen).toHaveLength(1)
    await expect(lightFetch(url, posting)).rejects.toThrow('redirect')
    expect(seen.length).toBeLessThan(10)
  })

  test('fails as fetch does when nothing listens', async () => {
    const failed = await lightFetch(`http://127.0.0.1:${await freePort()}`).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(TypeError)
    expect((failed as Error).cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('ends with the reason of its signal, before and after an answer began', async () => {
    const stop = new AbortController()
    const { url } = await serving((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n')
    })
    const reader = (await lightFetch(url, { signal: stop.signal })).body?.getReader()
    await reader?.read()
    stop.abort(new Error('enough'))
    await expect(reader?.read()).rejects.toThrow()
    await expect(lightFetch(url, { signal: stop.signal })).rejects.toThrow('enough')

    const silent = await serving(() => {})
    const late = new AbortController()
    const waiting = lightFetch(silent.url, { signal: late.signal })
    late.abort(new Error('too long'))
    await expect(waiting).rejects.toThrow('too long')
  })
})
