import type { JsonObject } from '../base/json.ts'
import type { Question } from '../elicitation/elicitation.ts'
import { formFor, type Revision } from '../elicitation/form/revision.ts'
import type { FormSchema } from '../elicitation/form/schema.ts'
import { type Quirk, traitOf } from './quirks.ts'

/** The parameters of an `elicitation/create` request. */
export type ElicitParams = (
  | { mode?: 'form'; message: string; requestedSchema: FormSchema }
  | { mode: 'url'; message: string; url: string; elicitationId?: string }
) & { _meta?: JsonObject }

export interface FormOnItsWay {
  readonly params: ElicitParams
  /** Turns the client's answer into an answer to the original schema. */
  lift(content: unknown): unknown
}

/** A form in what this revision supports (E06-04, E11-12 to E11-15). */
export function formParams(message: string, schema: FormSchema, revision: Revision): FormOnItsWay {
  const { schema: requestedSchema, lift } = formFor(schema, revision)
  const mode = revision === '2025-06-18' ? {} : { mode: 'form' as const }
  return { params: { ...mode, message, requestedSchema }, lift }
}

/**
 * A page to visit. Only 2025-11-25 names the elicitation; from 2026-07-28 on the state does (E11-17, E26-03), and only a
 * client that cannot do without gets the name there.
 */
export function urlParams(
  question: Extract<Question, { mode: 'url' }>,
  id: string,
  revision: Revision,
  ownQuirks: readonly Quirk[] = [],
): ElicitParams {
  const { message, url } = question
  const isNamed = revision === '2025-11-25' || traitOf(ownQuirks, 'wantsElicitationId') === true
  return isNamed ? { mode: 'url', message, url, elicitationId: id } : { mode: 'url', message, url }
}
