import type { AuditLog } from '../audit/log.ts'
import type { Clock } from '../base/clock.ts'
import type { Vault } from '../base/seal.ts'
import type { PasskeyStore } from './passkey.ts'
import type { RelyingParty } from './relying-party.ts'

/** What passkeys are made and checked with. */
export interface PasskeyDesk {
  readonly store: PasskeyStore
  readonly vault: Vault
  readonly audit: Pick<AuditLog, 'record'>
  readonly clock: Pick<Clock, 'now'>
  readonly site: RelyingParty
  readonly limits: PasskeyLimits
  /** True the first time, for everybody who shares the store; false ever after. Remembered at least until `until`. */
  claimOnce(name: string, until: Date): Promise<boolean>
}

export interface PasskeyLimits {
  /** Passkeys that one person may have. */
  readonly passkeysPerPerson: number
}

export const defaultPasskeyLimits: PasskeyLimits = { passkeysPerPerson: 20 }

/** Why a passkey's signature, or a new passkey, is not accepted. */
export type PasskeyRefusal =
  /** It was begun too long ago, was used before, or was not begun here. */
  | 'ceremony-over'
  /** The signature is for something else: another question, another choice, other arguments. */
  | 'signed-something-else'
  /** This person has no such passkey. */
  | 'unknown-passkey'
  /** Wrong origin or site, no user verification, a forged or malformed answer, a wrong signature. */
  | 'not-verified'
  /** The authenticator counted backwards: a copy of the passkey may be in use. */
  | 'counter-backwards'
  /** A person who has passkeys adds another only with one of them. */
  | 'existing-passkey-needed'
  /** The person has as many as they may have. */
  | 'too-many'
  /** The authenticator's key is registered already. */
  | 'registered-already'
