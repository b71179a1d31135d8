import { expect, test } from 'vitest'
import { auditKey, resealAuditKey } from '../../src/audit/key.ts'
import type { Vault } from '../../src/base/seal.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'

/** Seals by writing on the box what is in it, and for whom: enough to see who opens what. */
function glassVault(current: string): Vault {
  return {
    seal: async (secret, identity) => ({ key: current, box: `${identity}|${secret}` }),
    async open({ box }, identity) {
      if (!box.startsWith(`${identity}|`)) throw new Error('sealed for another place')
      return box.slice(identity.length + 1)
    },
    currentKey: async () => current,
  }
}

test('the audit key is made once, for ever', async () => {
  const store = memoryAudit()
  const key = await auditKey({ store, vault: glassVault('k1') })
  expect(key).toHaveLength(32)
  expect(await auditKey({ store, vault: glassVault('k2') })).toEqual(key)
  expect(await auditKey({ store: memoryAudit(), vault: glassVault('k1') })).not.toEqual(key)
  expect((await store.findKey())?.box).toBe(`audit-key|${key.toString('base64url')}`)
})

test('of twenty processes that make one at once, all get the same', async () => {
  const store = memoryAudit()
  const keys = await Promise.all(Array.from({ length: 20 }, () => auditKey({ store, vault: glassVault('k1') })))
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1)
})

test('when keys rotate it is sealed again, and stays what it was', async () => {
  const store = memoryAudit()
  expect(await resealAuditKey({ store, vault: glassVault('k1') })).toBe(false)
  const key = await auditKey({ store, vault: glassVault('k1') })
  expect(await resealAuditKey({ store, vault: glassVault('k1') })).toBe(false)

  const results = await Promise.all([1, 2].map(() => resealAuditKey({ store, vault: glassVault('k2') })))
  expect(results).toEqual([true, false])
  expect((await store.findKey())?.key).toBe('k2')
  expect(await auditKey({ store, vault: glassVault('k2') })).toEqual(key)
})
