import type { Ready } from '../connection/connections.ts'
import { ProviderUnknown } from '../connection/errors.ts'
import { AskRefused } from '../mcp/refusal.ts'
import type { RequestContext } from './context.ts'
import type { AssentForServers } from './needs.ts'
import { type PageAsk, pageAsk } from './page.ts'

export interface ConnectionOptions {
  /** What the account must allow. Default: what the provider's settings say. */
  readonly scopes?: readonly string[]
  /** Names the question within its handler; by what it asks for, unless said otherwise. */
  readonly key?: string
  /** What the person is told. */
  readonly message?: string
}

/** The requester's account at a provider, good to use now. Use it and let it go: a later call asks again. */
export interface Account {
  readonly provider: string
  /** The access token, or the key. Never to be sent to the client. */
  readonly accessToken: string
  readonly scopes: readonly string[]
  /** Whose account it is there, as far as the provider said. */
  readonly account?: string
  /** The headers that carry it. */
  readonly headers: Readonly<Record<string, string>>
  /** Tells that the service did not take it (401): asked for again, it is renewed, or the person is asked. */
  rejected(): Promise<void>
}

/** The account if it can be used now; else undefined, and the person must be asked. */
export async function accountOf(
  { assent, call }: Pick<RequestContext, 'assent' | 'call'>,
  provider: string,
  scopes?: readonly string[],
): Promise<Account | undefined> {
  const access = await assent.connections.access(call.requester.participant, provider, scopes)
  return access.kind === 'ready' ? accountFrom(assent, access) : undefined
}

/** The question that asks for it. It names what this call needs, so that it is the same one each time the handler runs. */
export function connectAsk({ assent, name }: RequestContext, provider: string, options: ConnectionOptions): PageAsk {
  const { title, scopes } = providerOf(assent, provider)
  const message = options.message ?? `${name} needs your account at ${title} to go on.`
  const connect = { provider, scopes: [...(options.scopes ?? scopes)].sort() }
  return pageAsk({ question: { mode: 'url', message, connect }, purpose: 'connect', metadata: {} })
}

/** It was connected just now, and cannot be used: asking again would go on for ever. */
export function unusable(assent: AssentForServers, provider: string): AskRefused {
  const { title } = providerOf(assent, provider)
  return new AskRefused('failed', `The account at ${title} was connected, but cannot be used for this.`, 'unusable')
}

function providerOf({ connections }: AssentForServers, name: string) {
  const provider = connections.providers.get(name)
  if (provider === undefined) throw new ProviderUnknown(name)
  return provider
}

function accountFrom({ connections }: AssentForServers, ready: Ready): Account {
  const { provider, secret, scopes, account, sending } = ready
  const isBearer = sending.header.toLowerCase() === 'authorization'
  return {
    provider,
    accessToken: secret,
    scopes,
    ...(account !== undefined && { account }),
    headers: { [sending.header]: isBearer ? `Bearer ${secret}` : secret },
    rejected: () => connections.rejected(ready),
  }
}
