export type { ContractTest, StoreUnderTest } from './contracts/contract-test.ts'
export { storeContract } from './contracts/store-contract.ts'
export { alice, anElicitation, answered, bob, limitedTo, withState } from './elicitations.ts'
export {
  type FakeProvider,
  type FakeProviderOptions,
  fakeKeyProvider,
  fakeProvider,
  type ProviderCall,
  type ProviderScript,
} from './fake-provider.ts'
export { type FixedClock, fixedClock } from './fixed-clock.ts'
export { type ScriptedUi, type Shown, scriptedUi, type UiScript } from './scripted-ui.ts'
