import { createHash } from 'node:crypto'

/** A Lua script, which Redis runs as a whole: nobody else reads or writes in between. */
export interface RedisScript {
  readonly text: string
  /** By which the server knows it after it was sent once. */
  readonly sha: string
}

export function scriptOf(...parts: readonly string[]): RedisScript {
  const text = parts.join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
