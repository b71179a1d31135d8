import type { IssuedBy } from './connection.ts'
import type { Credential } from './credential/credential.ts'
import type { ConnectionDesk } from './desk.ts'
import type { Provider } from './provider.ts'

/** Revokes a credential at its provider, within a time limit. Never throws. True if the provider confirmed it. */
export async function revokeAtProvider(
  { clock, revokeMs }: Pick<ConnectionDesk, 'clock' | 'revokeMs'>,
  provider: Provider | undefined,
  credential: Credential,
  issuedBy?: IssuedBy,
): Promise<boolean> {
  if (provider?.by.kind !== 'consent' || credential.kind !== 'tokens') return false
  const { consent } = provider.by
  const revoking = async () => consent.revoke(credential, issuedBy)
  return new Promise((resolve) => {
    const cancelTimer = clock.after(revokeMs, () => resolve(false))
    revoking()
      .then(resolve, () => resolve(false))
      .finally(cancelTimer)
  })
}
