/** The folder that holds `initdb` and `postgres`, if this machine has one. */
export function findPostgres(): string | undefined

/** A server of one's own on loopback. It ends with the process that started it, even if that one is killed. */
export function startPostgres(binaries: string): Promise<PrivatePostgres>

export interface PrivatePostgres {
  /** Of a superuser, with a password. */
  readonly url: string
  /** As after a crash: every connection breaks, what was committed is kept. Ends when the server is back. */
  restart(downMs?: number): Promise<void>
  /** Ends when the process and its folder are gone. */
  stop(): Promise<void>
}
