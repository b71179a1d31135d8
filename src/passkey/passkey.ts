import type { ParticipantId } from '../participant/participant.ts'

/** A passkey of a person: a key that their device uses only after it verified them. We have its public half. */
export interface Passkey {
  /** For lists and for revoking; signs nothing. */
  readonly id: string
  /** 1 when added, one more with each save. */
  readonly version: number
  readonly participant: ParticipantId
  /** The name that the authenticator gave the key, in base64url. */
  readonly credential: string
  /** COSE, in base64url. */
  readonly publicKey: string
  /** How often the authenticator says it signed; 0 for ever where it does not count. */
  readonly counter: number
  /** How a browser reaches the authenticator, such as `usb` or `internal`. */
  readonly transports: readonly string[]
  /** `synced`: the person's other devices have it too. */
  readonly kind: 'device' | 'synced'
  /** For its person to tell their passkeys apart. */
  readonly name: string
  readonly createdAt: Date
  /** Absent: never used yet. */
  readonly usedAt?: Date
}

/** Stores passkeys. A store never reads the clock and never decides. */
export interface PasskeyStore {
  /** False: one with this id or this credential is kept already, whosever it is, and stays as it is. */
  add(passkey: Passkey): Promise<boolean>
  /** Oldest first. */
  list(participant: ParticipantId): Promise<Passkey[]>
  /** Passkeys of all participants, oldest first, for the administrator. `after`: the last id of the page before. */
  listAll(limit: number, after?: string): Promise<Passkey[]>
  /** Saves only over the version before. False: it changed meanwhile, or was removed. */
  saveIfUnchanged(next: Passkey): Promise<boolean>
  /** False: this participant has no such passkey. */
  remove(participant: ParticipantId, id: string): Promise<boolean>
  /** Deletes all of this participant. Returns how many. */
  forget(participant: ParticipantId): Promise<number>
}
