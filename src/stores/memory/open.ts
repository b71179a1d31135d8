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
import { memoryHoldings, memoryInstances, memoryMailbox, memorySessions } from './tables/instances.ts'
import { memoryOwned } from './tables/owned.ts'
import { memoryDefinitions, memoryRegistrations } from './tables/registrations.ts'
import { memoryRollups } from './tables/rollups.ts'
import { memoryUsage } from './tables/usage.ts'

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
    registrations: memoryRegistrations(),
    definitions: memoryDefinitions(),
    grants: memoryGrants(),
    usage: memoryUsage(),
    passkeys: memoryPasskeys(),
    tokens: memoryOwned(),
    pushes: memoryOwned(),
    hub: memoryHub(),
    instances: memoryInstances(),
    mailbox: memoryMailbox(watchers),
    sessions: memorySessions(),
    rollups: memoryRollups(),
    holdings: memoryHoldings(),
    clock: systemStoreClock,
    findDamage: async () => [],
    shrink: async () => false,
    async close() {},
  }
}
