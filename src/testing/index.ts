export { alice, anElicitation, answered, bob, moved } from './elicitations.ts'
export { type FixedClock, fixedClock } from './fixed-clock.ts'
export type { Promised, StoreUnderTest } from './promised.ts'
export { storeContract } from './store-contract.ts'
