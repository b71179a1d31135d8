import type { Keyed } from './resolve.ts'

/** Bounds as forms have them: inclusive, and left out where they only say that a number is kept exactly. */
export function simplifyNumber(keyed: Keyed): void {
  const isInteger = keyed.get('type') === 'integer'
  if (!isInteger && keyed.get('type') !== 'number') return
  takeExclusive(keyed, { bound: 'minimum', exclusive: 'exclusiveMinimum', inwards: 1 }, isInteger)
  takeExclusive(keyed, { bound: 'maximum', exclusive: 'exclusiveMaximum', inwards: -1 }, isInteger)
  if (keyed.get('minimum') === Number.MIN_SAFE_INTEGER) keyed.delete('minimum')
  if (keyed.get('maximum') === Number.MAX_SAFE_INTEGER) keyed.delete('maximum')
}

interface Bound {
  readonly bound: 'minimum' | 'maximum'
  readonly exclusive: string
  readonly inwards: 1 | -1
}

/** Of whole numbers the next one is the bound. Of others the bound itself is allowed here, and the server judges it. */
function takeExclusive(keyed: Keyed, { bound, exclusive, inwards }: Bound, isInteger: boolean): void {
  const own = keyed.get(exclusive)
  const inclusive = keyed.get(bound)
  // Older drafts write a number and a flag: `minimum: 0, exclusiveMinimum: true`.
  const edge = own === true ? inclusive : own
  if (typeof edge === 'number') {
    const rounded = inwards === 1 ? Math.floor(edge) + 1 : Math.ceil(edge) - 1
    const next = isInteger ? rounded : edge
    const isTighter = own === true || typeof inclusive !== 'number' || (next - inclusive) * inwards > 0
    if (isTighter) keyed.set(bound, next)
  }
  if (typeof edge === 'number' || own === false) keyed.delete(exclusive)
}
