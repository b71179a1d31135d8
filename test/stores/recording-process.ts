import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { openAuditLog } from '../../src/audit/log.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open.ts'

/**
 * Records so many events in the SQLite store at this path, and then as many as each line of its input says. Prints the
 * number of each event as soon as it is stored.
 */
const [, , path = '', keyText = '', first = '0'] = process.argv
const store = await openSqliteStore(path)
const log = openAuditLog({ store: store.audit, key: Buffer.from(keyText, 'hex'), clock: { now: () => new Date() } })
let recorded = 0

async function record(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    recorded += 1
    await log.record({ kind: 'custom:recorded', who: 'alice' as ParticipantId, data: { n: recorded } })
    writeSync(1, `${recorded}\n`)
  }
}

await record(Number(first))
for await (const line of createInterface(process.stdin)) await record(Number(line))
await log.close()
await store.close()
