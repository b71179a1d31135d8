interface LockEntry {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly cpu?: string[]
  readonly libc?: string[]
  readonly os?: string[]
  readonly optionalDependencies?: Record<string, string>
}

/** The optional packages that others in the lock name and that it lacks, as lock entries of their own. */
export function platformPackagesMissingIn(lock: { packages: Record<string, LockEntry> }): Record<string, LockEntry>
