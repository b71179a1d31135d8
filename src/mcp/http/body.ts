import type { IncomingMessage } from 'node:http'
import { readRequestBody } from '@modelcontextprotocol/server'

/** Reads a body up to `limit` bytes. Undefined: it is larger, and the rest was not read. */
export type ReadBody = (limit: number) => Promise<string | undefined>

export function bodyOfRequest(request: Request): ReadBody {
  return async (limit) => {
    const body = await readRequestBody(request, limit)
    return body.tooLarge ? undefined : body.text
  }
}

/** Reads from Node's stream: reading through a web Request would cost nearly as much as the rest of the call. */
export function bodyOfMessage(message: IncomingMessage): ReadBody {
  return async (limit) => {
    if (Number(message.headers['content-length']) > limit) return undefined
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let size = 0
      // Not `for await`: leaving such a loop destroys the socket, and the refusal could not be sent.
      message.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
        if (size <= limit) return
        message.removeAllListeners('data').pause()
        resolve(undefined)
      })
      message.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
      message.on('error', reject)
    })
  }
}
