import type { Elicitation } from '../elicitation/elicitation.ts'
import type { Connection } from './connection.ts'
import type { Provider } from './provider.ts'

/** Each scope once, in the order of its first occurrence. */
export function union(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())]
}

/** The scopes of `needed` that are not in `held`. */
export function missingScopes(needed: readonly string[], held: readonly string[]): string[] {
  return needed.filter((scope) => !held.includes(scope))
}

/** The scopes that the question names, which may be none; without a question, those of the provider. */
export function scopesWanted(provider: Provider, asked: Elicitation | undefined): readonly string[] {
  const scopes = asked?.question.mode === 'url' ? asked.question.connect?.scopes : undefined
  return scopes ?? provider.scopes
}

/** The scopes that a consent asks for. They include those already held, so that a new consent does not lose them. */
export function scopesToAsk(
  provider: Provider,
  asked: Elicitation | undefined,
  held: Connection | undefined,
): readonly string[] {
  return union(held?.scopes ?? [], scopesWanted(provider, asked))
}
