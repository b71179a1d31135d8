import { registrationContract } from './accounts/registration-contract.ts'
import { grantContract } from './approval/grant-contract.ts'
import { usageContract } from './approval/usage-contract.ts'
import { auditContract } from './audit-contract.ts'
import { changesContract } from './changes-contract.ts'
import { connectionContract } from './connection-contract.ts'
import type { ContractTest } from './contract-test.ts'
import { elicitationContract } from './elicitation-contract.ts'
import { flowContract } from './flow-contract.ts'
import { hubContract } from './hub-contract.ts'
import { instanceContract } from './instance-contract.ts'
import { browserContract } from './people/browser-contract.ts'
import { ownedContract } from './people/owned-contract.ts'
import { passkeyContract } from './people/passkey-contract.ts'
import { rollupContract } from './rollup-contract.ts'
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
  ...usageContract,
  ...hubContract,
  ...instanceContract,
  ...passkeyContract,
  ...rollupContract,
  ...registrationContract,
  ...ownedContract,
]
