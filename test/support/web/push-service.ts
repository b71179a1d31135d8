import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jwtVerify } from 'jose'
import { onTestFinished } from 'vitest'

/** What a browser would get, and what the push service was told with it. */
export interface Pushed {
  readonly browser: string
  readonly text: string
  readonly headers: IncomingHttpHeaders
  /** What the sender signed. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** A push service on this machine. It checks who sends, and opens every message as the browser would. */
export async function aPushService() {
  const pushed: Pushed[] = []
  const problems: unknown[] = []
  /** Answers to the next messages; then they are taken. */
  const refusals: number[] = []
  const browsers = new Map<string, ReturnType<typeof newKeys>>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const answer = (status: number) => void response.writeHead(status).end()
      const refusal = refusals.shift()
      if (refusal !== undefined) return answer(refusal)
      const browser = (request.url ?? '').slice('/to/'.length)
      const keys = browsers.get(browser)
      if (keys === undefined) return answer(404)
      const text = openMessage(keys, Buffer.concat(chunks))
      verify(request.headers.authorization ?? '', origin()).then(
        (claims) => {
          pushed.push({ browser, text, headers: request.headers, claims })
          answer(201)
        },
        (error) => {
          problems.push(error)
          answer(403)
        },
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    pushed,
    problems,
    refusals,
    /** What a browser's `PushSubscription.toJSON` would give, as text. */
    subscribe(browser: string): string {
      const keys = newKeys()
      browsers.set(browser, keys)
      return JSON.stringify({
        endpoint: `${origin()}/to/${browser}`,
        expirationTime: null,
        keys: { p256dh: keys.own.getPublicKey('base64url'), auth: keys.auth.toString('base64url') },
      })
    },
    forget: (browser: string) => browsers.delete(browser),
  }
}

function newKeys() {
  const own = createECDH('prime256v1')
  own.generateKeys()
  return { own, auth: randomBytes(16) }
}

/** Opens a message as RFC 8291 says, with the keys of the browser. */
function openMessage({ own, auth }: ReturnType<typeof newKeys>, message: Buffer): string {
  const salt = message.subarray(0, 16)
  const end = 21 + message.readUInt8(20)
  const theirKey = message.subarray(21, end)
  const derive = (from: Buffer, with_: Buffer, about: string | Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', from, with_, about, bytes))
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), theirKey])
  const secret = derive(own.computeSecret(theirKey), auth, about, 32)
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
  const opening = createDecipheriv('aes-128-gcm', key, derive(secret, salt, 'Content-Encoding: nonce\0', 12))
  opening.setAuthTag(message.subarray(-16))
  const padded = Buffer.concat([opening.update(message.subarray(end, -16)), opening.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

async function verify(header: string, audience: string) {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]{87})$/.exec(header) ?? []
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const jwk = { kty: 'EC', crv: 'P-256', x, y }
  const { payload } = await jwtVerify(token, jwk, { audience, algorithms: ['ES256'], currentDate: new Date(0) })
  return { ...payload, key }
}
