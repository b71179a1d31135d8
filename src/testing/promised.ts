import type { Store } from '../stores/store.ts'

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
