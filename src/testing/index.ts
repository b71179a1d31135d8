export { alice, anElicitation, answered, bob, moved } from './elicitations.ts'
export {
  type FakeProvider,
  type FakeProviderOptions,
  fakeKeyProvider,
  fakeProvider,
  type ProviderCall,
  type ProviderScript,
} from './fake-provider.ts'
export { type FixedClock, fixedClock } from './fixed-clock.ts'
export type { Promised, StoreUnderTest } from './promised.ts'
export { type ScriptedUi, type Shown, scriptedUi, type UiScript } from './scripted-ui.ts'
export { storeContract } from './store-contract.ts'
