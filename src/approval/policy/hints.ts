import type { JsonObject } from '../../base/json.ts'

/** What a server may say of a tool. */
export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

const worst: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

/** The names of all hints. */
export const hintNames = Object.keys(worst) as (keyof Hints)[]

/** The hints of a tool; one that is missing, or is no plain yes or no, counts as the worse value. */
export function hintsOf(annotations: JsonObject = {}): Hints {
  const said = (name: keyof Hints) => {
    const value = Object.hasOwn(annotations, name) ? annotations[name] : undefined
    return typeof value === 'boolean' ? value : worst[name]
  }
  return {
    readOnlyHint: said('readOnlyHint'),
    destructiveHint: said('destructiveHint'),
    idempotentHint: said('idempotentHint'),
    openWorldHint: said('openWorldHint'),
  }
}
