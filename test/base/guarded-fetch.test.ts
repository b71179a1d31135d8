import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FetchFailed, type FetchGuard, guardedFetch } from '../../src/base/guarded-fetch.ts'
import { isPublicAddress } from '../../src/base/public-address.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Says these addresses for every name. */
const naming =
  (...addresses: string[]): LookupFunction =>
  (_name, options, found) => {
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) found(null, all)
    else found(null, all[0]?.address ?? '', all[0]?.family ?? 4)
  }

async function reasonOf(url: string, guard: FetchGuard): Promise<string> {
  const error = await guardedFetch(guard)(url).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error === undefined) return 'fetched'
  if (!(error instanceof FetchFailed)) throw error
  return error.reason
}

describe('addresses of the internet', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::8.8.8.8'])(
    '%s is one',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.0.9',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    'not an address',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('attack: a server sends us into our own network (S-07)', () => {
  test.each([
    'http://127.0.0.1/',
    'http://example.test/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://0.0.0.0/',
    'https://[fe80::1]/',
    'https://user:word@example.test/',
    'file:///etc/passwd',
    'ftp://example.test/',
  ])('%s is not fetched from the internet', async (url) => {
    const lookup = naming('8.8.8.8')
    expect(await reasonOf(url, { reach: 'internet', lookup })).toBe('address_refused')
  })

  test.each([['127.0.0.1'], ['10.0.0.7'], ['::1'], ['::ffff:192.168.0.1'], ['8.8.8.8', '127.0.0.1']])(
    'a name that stands for %s is not fetched from',
    async (...addresses) => {
      const guard = { reach: 'internet', lookup: naming(...addresses) } as const
      expect(await reasonOf('https://innocent.test/', guard)).toBe('address_refused')
    },
  )

  test('a name is looked up once: what was judged is what is connected to', async () => {
    const url = await serve((_request, response) => response.end())
    let asked = 0
    const lookup: LookupFunction = (name, options, found) => {
      asked++
      naming(asked === 1 ? '127.0.0.1' : '10.0.0.1')(name, options, found)
    }
    const rebinding = url.replace('127.0.0.1', 'localhost')
    expect(await reasonOf(rebinding, { reach: 'anywhere', lookup })).toBe('fetched')
    expect(asked).toBe(1)
    expect(await reasonOf(rebinding, { reach: 'anywhere', lookup })).toBe('address_refused')
  })

  test.each(['http://intranet.test/', 'http://10.0.0.1/', 'http://8.8.8.8/'])(
    '%s is not fetched even where the administrator wrote it: it is not https',
    async (url) => {
      expect(await reasonOf(url, { reach: 'anywhere', lookup: naming('10.0.0.1') })).toBe('address_refused')
    },
  )

  test('a redirect is not followed', async () => {
    let reached = 0
    const inside = await serve((_request, response) => {
      reached++
      response.end('secret')
    })
    const url = await serve((_request, response) => response.writeHead(302, { location: inside }).end())
    expect(await reasonOf(url, { reach: 'anywhere' })).toBe('redirected')
    expect(reached).toBe(0)
  })
})

describe('what the administrator wrote', () => {
  test('may be this machine, and gives what it answers', async () => {
    const url = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        response.writeHead(418, { 'X-Was': 'here' })
        response.end(`${request.method} ${request.headers['content-type']} ${Buffer.concat(chunks)}`)
      })
    })
    let answered: string | undefined
    const fetch = guardedFetch({
      reach: 'anywhere',
      answeredBy: (address) => {
        answered = address
      },
    })
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })

    expect(response.status).toBe(418)
    expect(response.headers.get('x-was')).toBe('here')
    expect(await response.text()).toBe('POST application/x-www-form-urlencoded;charset=UTF-8 a=b+c')
    expect(answered).toBe('127.0.0.1')
  })

  test('an answer without a body has none', async () => {
    const url = await serve((_request, response) => response.writeHead(204).end())
    const response = await guardedFetch({ reach: 'anywhere' })(url)
    expect([response.status, await response.text()]).toEqual([204, ''])
  })
})

describe('a server that behaves badly', () => {
  test('gets no more than its time, even when it sends a little now and then', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(drip))
    })
    expect(await reasonOf(url, { reach: 'anywhere', timeoutMs: 150 })).toBe('timed_out')
  })

  test('is not read past the limit', async () => {
    const url = await serve((_request, response) => response.end('x'.repeat(2_000)))
    expect(await reasonOf(url, { reach: 'anywhere', maxBytes: 1_999 })).toBe('too_large')
    expect(await reasonOf(url, { reach: 'anywhere', maxBytes: 2_000 })).toBe('fetched')
  })

  test('that is not there is unreachable', async () => {
    expect(await reasonOf('http://127.0.0.1:1/', { reach: 'anywhere' })).toBe('unreachable')
  })

  test('and no failure says more of an address than its origin', async () => {
    const failing = guardedFetch({ reach: 'anywhere' })('http://127.0.0.1:1/hook?key=hunter2')
    await expect(failing).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1: unreachable$/)
  })
})
