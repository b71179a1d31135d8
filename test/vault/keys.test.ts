import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BadKeys } from '../../src/vault/errors.ts'
import { envKeys, formatKey, isKeyId, type Keyring, makeKey, parseKeys, subKey } from '../../src/vault/keys.ts'

const zeros = 'A'.repeat(43)
const bytesOf = (keyring: Keyring) => [...keyring.byId.values()].map(({ secret }) => secret.export())

test('the first key seals, and every key can open', () => {
  const keyring = parseKeys(`b:${zeros},a:${zeros}`)

  expect(keyring.sealing.id).toBe('b')
  expect([...keyring.byId.keys()]).toEqual(['b', 'a'])
})

test.each([
  ['commas', ','],
  ['spaces', '  '],
  ['new lines', '\n'],
  ['all of them, as a person might', ' ,\r\n\t'],
])('keys may be separated by %s', (_, separator) => {
  const keyring = parseKeys(`${separator}a:${zeros}${separator}b:${zeros}${separator}`)
  expect([...keyring.byId.keys()]).toEqual(['a', 'b'])
})

test('base64url, base64 and base64 with padding are accepted', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (array) => {
      const bytes = Buffer.from(array)
      const unpadded = bytes.toString('base64').slice(0, -1)
      const keyring = parseKeys(`a:${bytes.toString('base64url')} b:${bytes.toString('base64')} c:${unpadded}`)
      expect(bytesOf(keyring)).toEqual([bytes, bytes, bytes])
    }),
  )
})

test('a new key can be formatted and parsed', () => {
  const made = makeKey()
  const { sealing } = parseKeys(formatKey(made))

  expect(isKeyId(made.id)).toBe(true)
  expect(sealing.id).toBe(made.id)
  expect(sealing.secret.equals(made.secret)).toBe(true)
})

test('new keys are all different', () => {
  const made = Array.from({ length: 50 }, makeKey)
  expect(new Set(made.map(({ id }) => id)).size).toBe(50)
  expect(new Set(made.map(({ secret }) => secret.export().toString('hex'))).size).toBe(50)
})

const planted = randomBytes(32).toString('base64url')

test.each([
  ['nothing', ''],
  ['only separators', ' ,\n'],
  ['no id', planted],
  ['an empty id', `:${planted}`],
  ['id and key the wrong way round', `${planted}:k1`],
  ['an id with a dot', `k.1:${planted}`],
  ['an id of 33 characters', `${'k'.repeat(33)}:${planted}`],
  ['a space after the colon', `k1: ${planted}`],
  ['a key too short', `k1:${planted.slice(1)}`],
  ['a key too long', `k1:${planted}${planted}`],
  ['16 bytes', `k1:${randomBytes(16).toString('base64')}`],
  ['hex', `k1:${randomBytes(32).toString('hex')}`],
  ['a comment', `# ${planted}`],
  ['two keys of one id', `k1:${planted},k2:${zeros},k1:${planted}`],
])('%s is refused with what to do, and no part of a key is shown', (_, text) => {
  const error = errorOf(() => parseKeys(text))

  expect(error).toBeInstanceOf(BadKeys)
  expect(error).toMatchObject({ code: 'bad_keys', name: 'BadKeys' })
  expect(error.message).toMatch(/assent keys make|its own id/)
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(planted.slice(1, 20))
})

test('malformed text is refused without a crash', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(() => parseKeys(`${text} x`)).toThrow(BadKeys)
    }),
  )
})

test('printing, inspecting or serialising a keyring or key source shows no key', () => {
  const bytes = Buffer.from(planted, 'base64url')
  const keyring = parseKeys(`k1:${planted}`)
  const sub = subKey(keyring.sealing, 'vault')

  for (const thing of [keyring, keyring.sealing, envKeys(`k1:${planted}`), sub]) {
    const printed = [
      inspect(thing, { showHidden: true, depth: 9, getters: true }),
      inspect(thing, { customInspect: false, depth: 9 }),
      JSON.stringify(thing),
      String(thing),
    ].join()
    for (const form of ['base64url', 'base64', 'hex', 'latin1'] as const) {
      expect(printed).not.toContain(bytes.toString(form).slice(0, 12))
      expect(printed).not.toContain(sub.export().toString(form).slice(0, 12))
    }
    expect(printed).not.toContain([...bytes.subarray(0, 4)].join(', '))
  }
})

test('each purpose has a different derived key, always the same, and none is the key itself', () => {
  const key = makeKey()
  const again = parseKeys(formatKey(key)).sealing

  expect(subKey(key, 'vault')).toBe(subKey(key, 'vault'))
  expect(subKey(key, 'vault').equals(subKey(again, 'vault'))).toBe(true)
  expect(subKey(key, 'vault').equals(subKey(key, 'state'))).toBe(false)
  expect(subKey(key, 'vault').equals(subKey(makeKey(), 'vault'))).toBe(false)
  expect(subKey(key, 'vault').equals(key.secret)).toBe(false)
})

test('a derived key is HKDF-SHA256 of the key, so that values sealed by earlier versions still open', () => {
  // Computed by `openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt hexkey:00… -kdfopt info:assent/vault HKDF`.
  expect(
    subKey(parseKeys(`k1:${zeros}`).sealing, 'vault')
      .export()
      .toString('hex'),
  ).toBe('9d1bde2f8cdcdb4d70b2671547293bfcf580d383d21cd3926f1f24d425cd1f08')
})

test('keys of the environment do not change', async () => {
  const source = envKeys(`k1:${planted}`)
  expect(await source.reload()).toBe(await source.keys())
})

function errorOf(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
