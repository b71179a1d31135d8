import { createCipheriv, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BadArgument } from '../../src/base/errors.ts'
import type { Sealed } from '../../src/base/seal.ts'
import { KeyMissing, SealBroken } from '../../src/vault/errors.ts'
import { envKeys, formatKey, type KeySource, makeKey, parseKeys, subKey } from '../../src/vault/keys.ts'
import { createVault } from '../../src/vault/vault.ts'

const older = makeKey()
const newer = makeKey()
const vault = createVault(envKeys(formatKey(older)))
const rotated = createVault(envKeys(`${formatKey(newer)},${formatKey(older)}`))
const identity = 'elicitation/e1/answer'

test('any text opens as it was sealed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (secret, place) => {
      expect(await vault.open(await vault.seal(secret, place), place)).toBe(secret)
    }),
  )
})

test.each([
  ['nothing', ''],
  ['a byte order mark', '\ufefftext'],
  ['NUL and line ends', '\0a\r\nb\0'],
  ['emoji and combining marks', '👩‍👩‍👧 e\u0301 ﷽'],
  ['a megabyte', 'ä'.repeat(2 ** 19)],
])('%s opens as it was sealed', async (_, secret) => {
  expect(await vault.open(await vault.seal(secret, identity), identity)).toBe(secret)
})

test('text that is not valid Unicode is refused, as secret and as identity', async () => {
  await expect(vault.seal('half \ud83d', identity)).rejects.toThrow(BadArgument)
  await expect(vault.seal('secret', 'half \udc00')).rejects.toThrow(BadArgument)
})

test('identities with different half surrogate pairs are not treated as equal', async () => {
  const sealed = await vault.seal('secret', '\ufffd')
  await expect(vault.open(sealed, '\ud800')).rejects.toThrow(SealBroken)
})

test('a sealed value is plain text: a key id, and a box that shows only its version', async () => {
  const { key, box } = await vault.seal('hunter2', identity)

  expect(key).toBe(older.id)
  expect(box).toMatch(/^v1\.[A-Za-z0-9_-]+$/)
  expect(Buffer.from(box.slice(3), 'base64url')).toHaveLength(12 + 'hunter2'.length + 16)
})

test('the same secret sealed twice gives two boxes', async () => {
  const boxes = await Promise.all(Array.from({ length: 100 }, () => vault.seal('hunter2', identity)))
  expect(new Set(boxes.map(({ box }) => box.slice(0, 19))).size).toBe(100)
})

test('a value sealed by version 1 still opens', async () => {
  const fixed = createVault(envKeys(`k1:${'A'.repeat(43)}`))
  expect(
    await fixed.open({ key: 'k1', box: 'v1.epCzcrHdVsxrZFXBVEZsdsFvZz5t94nyxSZotySP2cy0-uACYMKo' }, identity),
  ).toBe('hunter2 ✓')
})

test('attack: one bit of the box is changed', async () => {
  const { key, box } = await vault.seal('hunter2', identity)
  const bytes = Buffer.from(box.slice(3), 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    await expectBroken({ key, box: `v1.${changed.toString('base64url')}` })
  }
})

test('attack: one character of the box is replaced, added or removed', async () => {
  const { key, box } = await vault.seal('hunter2 secret', identity)
  await fc.assert(
    fc.asyncProperty(fc.nat(box.length), fc.string({ maxLength: 2 }), fc.nat(1), async (at, put, cut) => {
      const changed = box.slice(0, at) + put + box.slice(at + cut)
      fc.pre(changed !== box)
      await expectBroken({ key, box: changed })
    }),
    { numRuns: 1000 },
  )
})

test('attack: the unused bits of the last character are changed, which encodes the same bytes', async () => {
  const { key, box } = await vault.seal('12345', identity)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const last of alphabet) {
    const changed = box.slice(0, -1) + last
    if (changed !== box) await expectBroken({ key, box: changed })
  }
})

test('attack: the box is truncated anywhere', async () => {
  const { key, box } = await vault.seal('hunter2', identity)
  for (let length = 0; length < box.length; length++) await expectBroken({ key, box: box.slice(0, length) })
})

test('attack: the tag is truncated to four bytes', async () => {
  for (const secret of ['', 'short', 'long enough that twelve bytes more are still a tag']) {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', subKey(older, 'vault'), iv, { authTagLength: 4 })
    cipher.setAAD(Buffer.from(`assent/v1\0${older.id}\0${identity}`))
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    await expectBroken({ key: older.id, box: boxOf(iv, body, cipher.getAuthTag()) })
    await expectBroken({ key: older.id, box: boxOf(iv, body, Buffer.alloc(12), cipher.getAuthTag()) })
  }
})

test('attack: a sealed value is moved to another record', async () => {
  const sealed = await vault.seal('hunter2', identity)
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.nat(identity.length)), async (other) => {
      const place = typeof other === 'string' ? other : `${identity.slice(0, other)}x${identity.slice(other + 1)}`
      fc.pre(place !== identity)
      await expectBroken(sealed, place)
    }),
  )
})

test('attack: a sealed value is labelled with another existing key', async () => {
  const { box } = await rotated.seal('hunter2', identity)
  await expect(rotated.open({ key: older.id, box }, identity)).rejects.toThrow(SealBroken)
})

test('attack: key id and identity are chosen so that their concatenation is the same', async () => {
  const same = newer.secret.export().toString('base64url')
  const twins = createVault(envKeys(`a:${same},a-b:${same}`))
  const { box } = await twins.seal('hunter2', 'b\0c')
  await expect(twins.open({ key: 'a-b', box }, 'c')).rejects.toThrow(SealBroken)
  await expect(twins.open({ key: 'a-b', box }, 'b\0c')).rejects.toThrow(SealBroken)
})

test('malformed values never open and never cause a crash', async () => {
  const anything = fc.oneof(fc.string(), fc.base64String(), fc.anything())
  await fc.assert(
    fc.asyncProperty(anything, anything, fc.boolean(), async (key, box, versioned) => {
      const sealed = { key, box: versioned ? `v1.${String(JSON.stringify(box))}` : box } as Sealed
      const error = await vault.open(sealed, identity).catch((error: unknown) => error)
      expect(error instanceof SealBroken || error instanceof KeyMissing).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('a value sealed by a later version is refused', async () => {
  const { key, box } = await vault.seal('hunter2', identity)
  await expectBroken({ key, box: box.replace('v1', 'v2') })
})

test('after a rotation old values still open, and new ones use the first key', async () => {
  const old = await vault.seal('old', identity)

  expect(await rotated.open(old, identity)).toBe('old')
  expect(await rotated.currentKey()).toBe(newer.id)
  expect((await rotated.seal('new', identity)).key).toBe(newer.id)
})

test('a missing key is reported by its id, with what to do', async () => {
  const sealed = await rotated.seal('hunter2', identity)
  const error = await vault.open(sealed, identity).catch((error: unknown) => error)

  expect(error).toBeInstanceOf(KeyMissing)
  expect(error).toMatchObject({ code: 'key_missing' })
  expect((error as Error).message).toContain(`"${newer.id}"`)
  expect((error as Error).message).toContain('Put it back into ASSENT_KEYS or the key file')
})

test('the source is reloaded for an unknown key, and only then', async () => {
  let looks = 0
  const before = parseKeys(formatKey(older))
  const after = parseKeys(`${formatKey(newer)},${formatKey(older)}`)
  const source: KeySource = {
    keys: async () => before,
    reload: async () => {
      looks++
      return after
    },
  }
  const behind = createVault(source)

  expect(await behind.open(await vault.seal('known', identity), identity)).toBe('known')
  await expect(behind.open({ key: newer.id, box: 'rubbish' }, identity)).rejects.toThrow(SealBroken)
  expect(looks).toBe(0)
  expect(await behind.open(await rotated.seal('unknown', identity), identity)).toBe('unknown')
  expect(looks).toBe(1)
})

test('no error shows the secret, the box or a key', async () => {
  const { key, box } = await vault.seal('hunter2', identity)
  const errors = [
    await vault.open({ key, box: `${box.slice(0, -1)}!` }, identity).catch(inspectAll),
    await vault.open({ key, box }, 'elsewhere').catch(inspectAll),
    await vault.open({ key: 'other', box }, identity).catch(inspectAll),
    await vault.seal('hunter2 \ud800', identity).catch(inspectAll),
  ].join()

  for (const hidden of ['hunter2', box.slice(3, 20), older.secret.export().toString('base64url')]) {
    expect(errors).not.toContain(hidden)
  }
})

function boxOf(...parts: Buffer[]): string {
  return `v1.${Buffer.concat(parts).toString('base64url')}`
}

function inspectAll(error: unknown): string {
  return inspect(error, { showHidden: true, depth: 9 })
}

async function expectBroken(sealed: Sealed, place = identity): Promise<void> {
  const error = await vault.open(sealed, place).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(SealBroken)
  expect(error).toMatchObject({ code: 'seal_broken' })
}
