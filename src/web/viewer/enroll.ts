import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { isPlainObject } from '../../base/json.ts'
import type { Vault } from '../../base/seal.ts'
import type { StepStore } from '../../call/step.ts'
import type { PageSettings } from '../../elicitation/page-settings.ts'
import { openText, sealText } from '../http/sealed-text.ts'

const linkMs = 10 * 60_000
const purpose = 'enroll'

/** What makes a link that enrols a browser: any process with the same keys can make one. */
export interface EnrollParts {
  readonly vault: Vault
  readonly clock: Clock
  readonly pages: Pick<PageSettings, 'publicUrl'>
}

/** A link that makes one browser the local person's. It works once, within ten minutes; `next` is a path to go on to. */
export async function enrollLink({ vault, clock, pages }: EnrollParts, next?: string): Promise<string> {
  const expires = clock.now().getTime() + linkMs
  const code = await sealText(vault, purpose, { id: randomUUID(), expires, ...(next !== undefined && { next }) })
  return `${pages.publicUrl}/enroll?code=${encodeURIComponent(code)}`
}

/** A link that is good, as far as can be told without using it up. */
export interface EnrollCode {
  readonly id: string
  readonly expires: Date
  readonly next?: string
}

export async function readEnrollCode(
  { vault, clock }: Pick<EnrollParts, 'vault' | 'clock'>,
  text: string | undefined,
): Promise<EnrollCode | undefined> {
  const opened = text === undefined ? undefined : await openText(vault, purpose, text)
  if (!isPlainObject(opened)) return undefined
  const { id, expires, next } = opened as { id: string; expires: number; next?: string }
  if (clock.now().getTime() >= expires) return undefined
  return { id, expires: new Date(expires), ...(next !== undefined && { next }) }
}

/** Whether the link was still unused; it is not any more. */
export async function useEnrollCode(steps: StepStore, { id, expires }: EnrollCode): Promise<boolean> {
  const { kind } = await steps.claim({ walkId: 'enroll', name: id }, expires)
  return kind === 'claimed'
}
