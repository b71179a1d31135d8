import type { Store } from '../stores/store.ts'
import { auditContract } from './audit-contract.ts'
import { changesContract } from './changes-contract.ts'
import { elicitationContract } from './elicitation-contract.ts'

/** A store that a contract is tried on. */
export interface StoreUnderTest {
  readonly store: Store
  /** Opens the same data once more, as another process would. Undefined: it keeps nothing beyond one opening. */
  readonly again?: () => Promise<Store>
}

/** One promise of the contract. `run` throws when the store breaks it. */
export interface Promised {
  /** The promise, as a sentence. */
  readonly name: string
  run(tried: StoreUnderTest): Promise<void>
}

/**
 * Everything a store promises, for any test runner: give each promise a fresh, empty store.
 * `for (const { name, run } of storeContract) test(name, async () => run(await freshStore()))`
 */
export const storeContract: readonly Promised[] = [...elicitationContract, ...changesContract, ...auditContract]
