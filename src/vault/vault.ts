import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { BadArgument } from '../base/errors.ts'
import type { Sealed, Vault } from '../base/seal.ts'
import { KeyMissing, SealBroken } from './errors.ts'
import { isKeyId, type Key, type KeySource, subKey } from './keys.ts'

const version = 'v1'
const algorithm = 'aes-256-gcm'
const ivBytes = 12
// Given for opening too: otherwise Node accepts a tag of four bytes, which can be guessed.
const authTagLength = 16

/** The parts of a sealed box. */
interface BoxParts {
  readonly iv: Buffer
  readonly body: Buffer
  readonly tag: Buffer
}

/** Seals with AES-256-GCM under the first key and opens with any key. Refuses text with half a surrogate pair. */
export function createVault(source: KeySource): Vault {
  return {
    async seal(secret, identity) {
      // UTF-8 cannot encode half pairs: two such identities would become equal, and such a secret would be changed.
      if (!secret.isWellFormed() || !identity.isWellFormed()) {
        throw new BadArgument('Text with half a surrogate pair is not valid Unicode and cannot be sealed.')
      }
      const { sealing } = await source.keys()
      return encrypt(sealing, secret, identity)
    },

    async open(sealed, identity) {
      const parts = parseBox(sealed)
      if (parts === undefined || !identity.isWellFormed()) throw new SealBroken(`not a seal, for ${identity}`)
      return decrypt(await findKey(source, sealed.key), parts, identity)
    },

    async currentKey() {
      const { sealing } = await source.keys()
      return sealing.id
    },
  }
}

async function findKey(source: KeySource, id: string): Promise<Key> {
  const known = (await source.keys()).byId.get(id)
  if (known !== undefined) return known
  // Another process may have added a key and sealed with it a moment ago.
  const added = (await source.reload()).byId.get(id)
  if (added === undefined) throw new KeyMissing(id)
  return added
}

function encrypt(key: Key, secret: string, identity: string): Sealed {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, subKey(key, 'vault'), iv, { authTagLength })
  cipher.setAAD(associatedData(key.id, identity))
  const body = [cipher.update(secret, 'utf8'), cipher.final()]
  return { key: key.id, box: `${version}.${Buffer.concat([iv, ...body, cipher.getAuthTag()]).toString('base64url')}` }
}

function decrypt(key: Key, { iv, body, tag }: BoxParts, identity: string): string {
  const decipher = createDecipheriv(algorithm, subKey(key, 'vault'), iv, { authTagLength })
  decipher.setAAD(associatedData(key.id, identity))
  decipher.setAuthTag(tag)
  const text = decipher.update(body)
  try {
    decipher.final()
  } catch {
    throw new SealBroken(`not sealed with key ${key.id} for ${identity}, or changed since`)
  }
  return text.toString('utf8')
}

/** A key id contains no NUL and the identity comes last, so the result is unique for each pair. */
function associatedData(keyId: string, identity: string): Buffer {
  return Buffer.from(`assent/${version}\0${keyId}\0${identity}`)
}

/** Parses untrusted input. A box has one valid encoding; any other is refused before a key is looked up. */
function parseBox({ key, box }: Partial<Sealed>): BoxParts | undefined {
  if (typeof key !== 'string' || typeof box !== 'string' || !isKeyId(key)) return undefined
  const bytes = Buffer.from(box.slice(version.length + 1), 'base64url')
  if (`${version}.${bytes.toString('base64url')}` !== box || bytes.length < ivBytes + authTagLength) return undefined
  const end = bytes.length - authTagLength
  return { iv: bytes.subarray(0, ivBytes), body: bytes.subarray(ivBytes, end), tag: bytes.subarray(end) }
}
