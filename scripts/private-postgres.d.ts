import type { PrivateServer } from './start-kept.js'

/** The folder that holds `initdb` and `postgres`, if this machine has one. */
export function findPostgres(): string | undefined

/** A PostgreSQL of one's own. */
export function startPostgres(binaries: string): Promise<PrivateServer>
