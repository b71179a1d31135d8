import type { AssentForServers } from '../../asking/needs.ts'
import { sentCredential } from '../../connection/credential/sent-credential.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'

/** The client with the account that an upstream needs. Undefined: it is not connected; nobody is asked here. */
export async function credentialFor(
  { connections }: AssentForServers,
  { provider }: UpstreamServer,
  client: DownstreamClient,
): Promise<DownstreamClient | undefined> {
  if (provider === undefined) return client
  const access = await connections.access(client.requester.participant, provider)
  if (access.kind !== 'ready') return undefined
  return { ...client, credential: sentCredential(access.sending, access.secret) }
}

/** To be called when the upstream rejected the account of this client. */
export async function credentialRejected(
  { connections }: AssentForServers,
  { provider }: UpstreamServer,
  { requester, credential }: DownstreamClient,
): Promise<void> {
  if (provider === undefined || credential === undefined) return
  const access = await connections.access(requester.participant, provider)
  // Another request may have renewed it in the meantime.
  if (access.kind === 'ready' && credential.value.endsWith(access.secret)) await connections.rejected(access)
}
