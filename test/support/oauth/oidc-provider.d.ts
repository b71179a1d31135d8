/** What our tests use of oidc-provider, which has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Kept {
    save(): Promise<string>
    destroy(): Promise<void>
  }

  interface Grant extends Kept {
    readonly accountId: string
    addOIDCScope(scope: string): void
    rejectOIDCScope(scope: string): void
    addOIDCClaims(claims: readonly string[]): void
    addResourceScope(resource: string, scope: string): void
    rejectResourceScope(resource: string, scope: string): void
  }

  interface AccessToken extends Kept {
    readonly accountId: string
    readonly scopes: Set<string>
    readonly isValid: boolean
    readonly grantId: string
  }

  interface Client {
    readonly clientId: string
    grantTypeAllowed(type: string): boolean
    redirectUriAllowed(uri: string): boolean
  }

  interface Interaction {
    readonly uid: string
    readonly prompt: {
      readonly name: string
      readonly details: {
        readonly missingOIDCScope?: readonly string[]
        readonly missingOIDCClaims?: readonly string[]
        readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>
      }
    }
    readonly params: Readonly<Record<string, string>>
    readonly session?: { readonly accountId: string }
    readonly grantId?: string
  }

  interface Context {
    readonly method: string
    readonly path: string
    status: number
    readonly oidc?: { readonly params?: Readonly<Record<string, string | undefined>> }
  }

  interface Adapter {
    upsert(id: string, payload: Record<string, unknown>, expiresIn?: number): Promise<void>
    find(id: string): Promise<Record<string, unknown> | undefined>
    findByUid(uid: string): Promise<Record<string, unknown> | undefined>
    findByUserCode(code: string): Promise<Record<string, unknown> | undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grantId: string): Promise<void>
  }

  class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    on(event: string, listener: (...news: unknown[]) => void): void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: unknown): Promise<void>
    readonly Client: { find(id: string): Promise<Client | undefined>; prototype: Client }
    readonly Grant: {
      new (of: { accountId: string; clientId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    readonly AccessToken: {
      new (of: Record<string, unknown>): AccessToken
      find(token: string): Promise<AccessToken | undefined>
    }
    readonly ResourceServer: new (
      identifier: string,
      data: Record<string, unknown>,
    ) => object
  }

  export { type Adapter, type Client, type Interaction, Provider }
}
