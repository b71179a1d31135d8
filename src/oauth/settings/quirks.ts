/** How a provider differs from the OAuth 2 standard, as data. */
export interface Quirks {
  /** What separates the scopes in a token response. Default: `space`. `unsaid`: there are none, and all count as granted. */
  readonly scopes?: 'space' | 'comma' | 'unsaid'
  /** What separates the scopes that are asked for. Default: `space`. */
  readonly askedScopes?: 'space' | 'comma'
  /** What a token response may put before the name of a scope that was asked for without it. */
  readonly scopePrefix?: string
  /** The scopes that a scope includes, which are then not listed; also the names that a scope was asked for by. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /** Where the name of the account is. Default: in the id token, or else at the userinfo endpoint. */
  readonly account?:
    | { readonly at: 'token-response'; readonly field: string }
    | { readonly at: 'url'; readonly url: string; readonly field: string }
  /** The member of a token response that has the tokens of the person, and what their type is called there. */
  readonly personalTokens?: { readonly at: string; readonly type: string }
  /** How tokens are revoked. Default: by RFC 7009, at the revocation endpoint. */
  readonly revocation?: { readonly by: 'delete-grant'; readonly url: string }
}
