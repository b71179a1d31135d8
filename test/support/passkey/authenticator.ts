import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { JsonObject } from '../../../src/base/json.ts'
import { cbor } from './cbor.ts'

/** What a test makes an authenticator or a browser do wrong. */
export interface Wrong {
  /** The page that asks, as the browser says. */
  readonly origin?: string
  /** The site that the authenticator signs for. */
  readonly site?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  /** The authenticator did not check who the person is. */
  readonly unverified?: boolean
  /** Signs with this count. */
  readonly counter?: number
  /** Signs with the key of another authenticator, under this one's name. */
  readonly keyOf?: Authenticator
  /** Says that its maker vouches for it, with a signature of nobody. */
  readonly forgedAttestation?: boolean
  /** Replaces the client data after it was signed. */
  readonly clientDataAfterwards?: Readonly<Record<string, unknown>>
}

/** An authenticator in software, with the browser around it. */
export interface Authenticator {
  readonly credential: string
  readonly privateKey: KeyObject
  /** How often it signed. */
  counter: number
  /** What `navigator.credentials.create` gives for these options. */
  create(options: JsonObject, wrong?: Wrong): JsonObject
  /** What `navigator.credentials.get` gives for these options. */
  get(options: JsonObject, wrong?: Wrong): JsonObject
}

const present = 0x01
const verified = 0x04
const backupEligible = 0x08
const attested = 0x40

/** `counts`: as a security key does; a synced passkey always says 0. */
export function authenticator(origin: string, { counts = true, synced = false } = {}): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(16)
  const id = credential.toString('base64url')
  const host = new URL(origin).hostname

  function clientData(type: string, options: JsonObject, wrong: Wrong): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? options.challenge,
        origin: wrong.origin ?? origin,
        crossOrigin: wrong.crossOrigin ?? false,
      }),
    )
  }

  function authenticatorData(wrong: Wrong, more: Buffer = Buffer.alloc(0)): Buffer {
    if (counts) self.counter += 1
    const flags =
      present | (wrong.unverified ? 0 : verified) | (synced ? backupEligible : 0) | (more.length > 0 ? attested : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(wrong.counter ?? self.counter)
    return Buffer.concat([sha256(wrong.site ?? host), Buffer.from([flags]), count, more])
  }

  function publicKeyBytes(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const point = (text: string) => Buffer.from(text, 'base64url')
    return cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, point(x)],
        [-3, point(y)],
      ]),
    )
  }

  const self: Authenticator = {
    credential: id,
    privateKey,
    counter: 0,
    create(options, wrong = {}) {
      const data = clientData('webauthn.create', options, wrong)
      const length = Buffer.from([credential.length >> 8, credential.length & 0xff])
      const authData = authenticatorData(wrong, Buffer.concat([Buffer.alloc(16), length, credential, publicKeyBytes()]))
      const attestationObject = cbor(
        new Map<string, string | Buffer | Map<string, number | Buffer>>([
          ['fmt', wrong.forgedAttestation ? 'packed' : 'none'],
          ['attStmt', wrong.forgedAttestation ? forgedStatement : new Map()],
          ['authData', authData],
        ]),
      )
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: data.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    get(options, wrong = {}) {
      const data = clientData('webauthn.get', options, wrong)
      const authData = authenticatorData(wrong)
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), wrong.keyOf?.privateKey ?? privateKey)
      const sent = wrong.clientDataAfterwards
        ? Buffer.from(JSON.stringify({ ...JSON.parse(data.toString()), ...wrong.clientDataAfterwards }))
        : data
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: sent.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      }
    },
  }
  return self
}

const forgedStatement = new Map<string, number | Buffer>([
  ['alg', -7],
  ['sig', sign('sha256', Buffer.from('nothing'), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
])

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
