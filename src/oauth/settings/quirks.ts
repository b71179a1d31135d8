/** In what a provider differs from OAuth 2 as it is written. All of it is data. */
export interface Quirks {
  /** How the scopes in a token response are told apart. Default: `space`. `unsaid`: they never come, and count as granted. */
  readonly scopes?: 'space' | 'comma' | 'unsaid'
  /** Scopes that hold others, which are then not named. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /** Where it says whose account it is. Default: the id token, or else the userinfo endpoint. */
  readonly account?:
    | { readonly at: 'token-response'; readonly field: string }
    | { readonly at: 'url'; readonly url: string; readonly field: string }
  /** How it is told that a token is given up. Default: RFC 7009, at its revocation endpoint. */
  readonly revocation?: { readonly by: 'delete-grant'; readonly url: string }
}
