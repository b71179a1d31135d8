import { auditContract } from './audit-contract.ts'
import { browserContract } from './browser-contract.ts'
import { changesContract } from './changes-contract.ts'
import { connectionContract } from './connection-contract.ts'
import type { ContractTest } from './contract-test.ts'
import { elicitationContract } from './elicitation-contract.ts'
import { flowContract } from './flow-contract.ts'
import { grantContract } from './grant-contract.ts'
import { hubContract } from './hub-contract.ts'
import { instanceContract } from './instance-contract.ts'
import { passkeyContract } from './passkey-contract.ts'
import { stepContract } from './step-contract.ts'
import { votingContract } from './voting-contract.ts'

/**
 * Tests of everything that a store must do, for any test runner. Each test needs a fresh, empty store.
 * `for (const { name, run } of storeContract) test(name, async () => run(await freshStore()))`
 */
export const storeContract: readonly ContractTest[] = [
  ...elicitationContract,
  ...votingContract,
  ...changesContract,
  ...auditContract,
  ...stepContract,
  ...browserContract,
  ...connectionContract,
  ...flowContract,
  ...grantContract,
  ...hubContract,
  ...instanceContract,
  ...passkeyContract,
]
