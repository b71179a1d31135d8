import type { PrivateServer } from './start-kept.js'

/** The program of a Redis or Valkey server, if this machine has one. */
export function findRedis(): string | undefined

/** A Redis of one's own, which writes every change to its log before it confirms it. */
export function startRedis(program: string): Promise<PrivateServer>
