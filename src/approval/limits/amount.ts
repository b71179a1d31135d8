/** More than this is not counted, so that no sum loses its last digit. */
const mostCounted = 1e9

/**
 * A number in whole millionths, which add up exactly; what is finer counts as one more. Undefined: it cannot be counted,
 * for it is no number, negative or too large.
 */
export function toMillionths(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0 && value <= mostCounted)) return undefined
  const nearest = Math.round(value * 1e6)
  return nearest / 1e6 === value ? nearest : Math.ceil(value * 1e6)
}
