import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmac } from '../../src/audit/chain/mac.ts'

test('it is the HMAC that everybody else computes, whatever the key and the text', () => {
  const texts = ['', 'a', 'Grüße 🙂', 'x'.repeat(55), 'x'.repeat(64), 'x'.repeat(100_000), '\u0000\n']
  for (const length of [0, 1, 31, 32, 63, 64, 65, 128, 200]) {
    const key = randomBytes(length)
    for (const text of [...texts, randomBytes(300).toString('latin1')]) {
      const expected = createHmac('sha256', key).update(text).digest('base64url')
      // Twice: the second time its key is known.
      expect([hmac(key, text), hmac(key, text)]).toEqual([expected, expected])
    }
  }
})
