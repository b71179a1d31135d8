import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { isPlainObject } from '../../base/json.ts'
import { openText, sealText, type Vault } from '../../base/seal.ts'
import { rememberUntil, type StepStore } from '../../call/step.ts'
import type { PageSettings } from '../../elicitation/page-settings.ts'

const linkMs = 10 * 60_000
const identity = 'web/enroll'

/** What is needed to make an enrollment link: any process with the same vault keys can make one. */
export interface EnrollParts {
  readonly vault: Vault
  readonly clock: Clock
  readonly pages: Pick<PageSettings, 'publicUrl'>
}

/** A link that enrolls one browser for the local person, once, within ten minutes; `next` is the path to open then. */
export async function enrollLink({ vault, clock, pages }: EnrollParts, next?: string): Promise<string> {
  const expires = clock.now().getTime() + linkMs
  const code = await sealText(vault, identity, { id: randomUUID(), expires, ...(next !== undefined && { next }) })
  return `${pages.publicUrl}/enroll?code=${encodeURIComponent(code)}`
}

/** The contents of a link that has not expired; only `useEnrollCode` shows whether it was used. */
export interface EnrollCode {
  readonly id: string
  readonly expires: Date
  readonly next?: string
}

export async function readEnrollCode(
  { vault, clock }: Pick<EnrollParts, 'vault' | 'clock'>,
  text: string | undefined,
): Promise<EnrollCode | undefined> {
  const opened = text === undefined ? undefined : await openText(vault, identity, text)
  if (!isPlainObject(opened)) return undefined
  const { id, expires, next } = opened as { id: string; expires: number; next?: string }
  if (clock.now().getTime() >= expires) return undefined
  return { id, expires: new Date(expires), ...(next !== undefined && { next }) }
}

/** Uses up the link. False where it was used before. */
export async function useEnrollCode(steps: StepStore, { id, expires }: EnrollCode): Promise<boolean> {
  const { kind } = await steps.claim({ walkId: 'enroll', name: id }, rememberUntil(expires))
  return kind === 'claimed'
}
