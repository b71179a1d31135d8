/** The secret of a connection. It is stored sealed, and opened for one use at a time. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'tokens'; readonly accessToken: string; readonly refreshToken?: string }
