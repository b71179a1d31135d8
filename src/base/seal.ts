/** A secret at rest: unreadable without the key it names. */
export interface Sealed {
  /** Which key opens it. */
  readonly key: string
  readonly box: string
}

/** Seals and opens secrets. */
export interface Vault {
  /** `identity` says whose secret it is, and where it is kept: what was sealed for one place opens in no other. */
  seal(secret: string, identity: string): Promise<Sealed>
  /** Throws `KeyMissing` or `SealBroken`; never gives back anything but what was sealed. */
  open(sealed: Sealed, identity: string): Promise<string>
  /** The key that seals from now on. */
  currentKey(): Promise<string>
}
