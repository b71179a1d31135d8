import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { isPlainObject } from '../../base/json.ts'
import { openText, sealText, type Vault } from '../../base/seal.ts'
import { rememberUntil, type StepStore } from '../../call/step.ts'

/** What a code that is in a link is made with: any process with the same vault keys can make and open it. */
export interface CodeParts {
  readonly vault: Vault
  readonly clock: Clock
}

/** A code that has not expired; only `useCode` shows whether it was used. */
export interface OneTimeCode {
  readonly id: string
  readonly expires: Date
  /** What it was made with. */
  readonly facts: Readonly<Record<string, string>>
}

/** A code that can be used once. `identity` says what for. */
export function makeCode(
  { vault, clock }: CodeParts,
  identity: string,
  lifeMs: number,
  facts: OneTimeCode['facts'],
): Promise<string> {
  const expires = clock.now().getTime() + lifeMs
  return sealText(vault, identity, { id: randomUUID(), expires, facts })
}

/** Undefined for what is no code of this identity, and for one that has expired. */
export async function readCode(
  { vault, clock }: CodeParts,
  identity: string,
  text: string | undefined,
): Promise<OneTimeCode | undefined> {
  const opened = text === undefined ? undefined : await openText(vault, identity, text)
  if (!isPlainObject(opened)) return undefined
  const { id, expires, facts = {} } = opened as { id: string; expires: number; facts?: OneTimeCode['facts'] }
  return clock.now().getTime() >= expires ? undefined : { id, expires: new Date(expires), facts }
}

/** Uses up the code. False where it was used before. */
export async function useCode(
  steps: StepStore,
  { id, expires }: Pick<OneTimeCode, 'id' | 'expires'>,
): Promise<boolean> {
  const { kind } = await steps.claim({ walkId: 'enroll', name: id }, rememberUntil(expires))
  return kind === 'claimed'
}
