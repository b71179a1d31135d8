import { openSqliteStore } from '../../src/stores/sqlite/open.ts'
import { limitedTo } from '../../src/testing/elicitations.ts'
import { anElicitation } from '../../src/testing/index.ts'

/** Says that it begins, opens the SQLite store at this path, adds a question, and says how that went. */
const [, , path = '', identity = ''] = process.argv
process.send?.('opening')
try {
  const store = await openSqliteStore(path)
  await store.elicitations.add(anElicitation({ identity }), limitedTo(10))
  await store.close()
  process.send?.('opened')
} catch (error) {
  process.send?.(String(error))
}
process.disconnect()
