/** Starts a script that keeps one server, such as `keep-redis.js`, with the place of the server's programs. */
export function startKept(name: string, keeperScript: string, program: string): Promise<PrivateServer>

/** A server of one's own on loopback. It ends with the process that started it, even if that one is killed. */
export interface PrivateServer {
  /** Of a user who may do everything, with a password. */
  readonly url: string
  /** As after a crash: every connection breaks, what was confirmed is kept. Ends when the server is back. */
  restart(downMs?: number): Promise<void>
  /** Ends when the process and its folder are gone. */
  stop(): Promise<void>
}
