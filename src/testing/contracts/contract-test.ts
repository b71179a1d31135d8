import type { Store } from '../../stores/store.ts'

/** A store to test against the contract. */
export interface StoreUnderTest {
  readonly store: Store
  /** Opens the same data once more, as another process would. Undefined if the data does not outlive the store. */
  readonly reopen?: () => Promise<Store>
}

/** One test of the contract. `run` throws if the store does not pass it. */
export interface ContractTest {
  /** What the store must do, as a sentence. */
  readonly name: string
  run(tested: StoreUnderTest): Promise<void>
}
