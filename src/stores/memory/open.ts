import type { Store } from '../store.ts'
import { systemStoreClock } from '../store-clock.ts'
import { createWatchers } from '../watchers.ts'
import { memoryAudit } from './audit.ts'
import { memoryBrowsers } from './browsers.ts'
import { memoryConnections } from './connections.ts'
import { memoryElicitations } from './elicitations.ts'
import { memoryGrants } from './grants.ts'
import { memoryHub } from './hub.ts'
import { memoryPasskeys } from './passkeys.ts'
import { memorySteps } from './steps.ts'
import { memoryInstances, memoryMailbox, memorySessions } from './tables/instances.ts'

/** A store in memory, whose records are lost with the process: for tests and for trying things out. */
export function openMemoryStore(): Store {
  const watchers = createWatchers()
  return {
    name: 'memory:',
    elicitations: memoryElicitations(watchers),
    changes: { watch: watchers.add },
    audit: memoryAudit(),
    steps: memorySteps(),
    browsers: memoryBrowsers(),
    connections: memoryConnections(),
    grants: memoryGrants(),
    passkeys: memoryPasskeys(),
    hub: memoryHub(),
    instances: memoryInstances(),
    mailbox: memoryMailbox(watchers),
    sessions: memorySessions(),
    clock: systemStoreClock,
    findDamage: async () => [],
    shrink: async () => false,
    async close() {},
  }
}
