export { alice, anElicitation, answered, bob, moved } from './elicitations.ts'
export { type FixedClock, fixedClock } from './fixed-clock.ts'
export { type Promised, type StoreUnderTest, storeContract } from './store-contract.ts'
