import type { Ready } from '../connection/connections.ts'
import { headerCredential, type SentCredential, sentCredential } from '../connection/credential/sent-credential.ts'
import { ProviderUnknown } from '../connection/errors.ts'
import { AskRefused } from '../mcp/refusal.ts'
import type { RequestContext } from './context.ts'
import type { AssentForServers } from './needs.ts'
import { type PageAsk, pageAsk } from './page.ts'

export interface ConnectionOptions {
  /** What the account must allow. Default: the scopes in the provider's settings. `[]` means none. */
  readonly scopes?: readonly string[]
  /** Names the question within its handler. Default: made of what it asks for. */
  readonly key?: string
  /** What the person is told. */
  readonly message?: string
}

/** The requester's account at a provider, usable now. Do not keep it: a later call gets a fresh one. */
export interface Account {
  readonly provider: string
  /** The access token, or the key. Never send it to the client. */
  readonly accessToken: string
  readonly scopes: readonly string[]
  /** The account's name at the provider, if the provider said it. */
  readonly account?: string
  /** The headers that carry it. */
  readonly headers: Readonly<Record<string, string>>
  /** How the provider's settings say that it is sent: in a header, or in the environment of a process. */
  readonly credential: SentCredential
  /** Call it when the service rejected the credential (401). The next request renews it, or asks the person. */
  rejected(): Promise<void>
}

/** The account if it can be used now. Undefined: the person must be asked. */
export async function accountOf(
  { assent, call }: Pick<RequestContext, 'assent' | 'call'>,
  provider: string,
  scopes?: readonly string[],
): Promise<Account | undefined> {
  const access = await assent.connections.access(call.requester.participant, provider, scopes)
  return access.kind === 'ready' ? accountFrom(assent, access) : undefined
}

/** The question that asks for an account. It is the same each time the handler runs, as it names what the call needs. */
export function connectAsk({ assent, name }: RequestContext, provider: string, options: ConnectionOptions): PageAsk {
  const { title, scopes } = providerOf(assent, provider)
  const message = options.message ?? `${name} needs your account at ${title} to go on.`
  const connect = { provider, scopes: [...(options.scopes ?? scopes)].sort() }
  return pageAsk({ question: { mode: 'url', message, connect }, purpose: 'connect', metadata: {} })
}

/** The account was connected just now and still cannot be used. Asking again would never end. */
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
  const { header, value } = headerCredential(sending, secret)
  return {
    provider,
    accessToken: secret,
    scopes,
    ...(account !== undefined && { account }),
    headers: { [header]: value },
    credential: sentCredential(sending, secret),
    rejected: () => connections.rejected(ready),
  }
}
