import { auditContract } from './audit-contract.ts'
import { browserContract } from './browser-contract.ts'
import { changesContract } from './changes-contract.ts'
import { connectionContract } from './connection-contract.ts'
import { elicitationContract } from './elicitation-contract.ts'
import { flowContract } from './flow-contract.ts'
import { grantContract } from './grant-contract.ts'
import type { Promised } from './promised.ts'
import { stepContract } from './step-contract.ts'

/**
 * Everything a store promises, for any test runner: give each promise a fresh, empty store.
 * `for (const { name, run } of storeContract) test(name, async () => run(await freshStore()))`
 */
export const storeContract: readonly Promised[] = [
  ...elicitationContract,
  ...changesContract,
  ...auditContract,
  ...stepContract,
  ...browserContract,
  ...connectionContract,
  ...flowContract,
  ...grantContract,
]
