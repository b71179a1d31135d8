import type { Elicitation } from '../elicitation/elicitation.ts'
import type { Connection } from './connection.ts'
import type { Provider } from './provider.ts'

/** Each one once, in the order they were first named. */
export function union(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())]
}

/** Those of `needed` that are not held. */
export function missingScopes(needed: readonly string[], held: readonly string[]): string[] {
  return needed.filter((scope) => !held.includes(scope))
}

/** The scopes that the question names, which may be none; the provider's own when there is no question. */
export function scopesWanted(provider: Provider, asked: Elicitation | undefined): readonly string[] {
  const scopes = asked?.question.mode === 'url' ? asked.question.connect?.scopes : undefined
  return scopes ?? provider.scopes
}

/** What a consent asks for: a new one must not lose what an older one gave. */
export function scopesToAsk(
  provider: Provider,
  asked: Elicitation | undefined,
  held: Connection | undefined,
): readonly string[] {
  return union(held?.scopes ?? [], scopesWanted(provider, asked))
}
