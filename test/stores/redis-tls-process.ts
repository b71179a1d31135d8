import { openRedisStore } from '../../src/stores/redis/open.ts'
import { limitedTo } from '../../src/testing/elicitations.ts'
import { anElicitation } from '../../src/testing/index.ts'

/** Opens the Redis store at this address, keeps a question, is told that it changed, and says how that went. */
const [, , address = ''] = process.argv
try {
  const store = await openRedisStore(address)
  const asked = anElicitation()
  const told = new Promise<void>((resolve) => store.changes.watch(asked.id, resolve))
  await store.elicitations.add(asked, limitedTo(10))
  const withdrawn = { kind: 'withdrawn', reason: 'test', at: asked.expiresAt } as const
  await store.elicitations.saveIfUnchanged({ ...asked, version: asked.version + 1, state: withdrawn })
  await told
  const kept = await store.elicitations.get(asked.id)
  await store.close()
  process.send?.(`kept ${kept?.state.kind}`)
} catch (error) {
  process.send?.(`${error} ${(error as { detail?: string }).detail ?? ''}`)
}
process.disconnect()
