import type { Readable, Writable } from 'node:stream'
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  type Transport,
} from '@modelcontextprotocol/server'
import { parseJson, writeJson } from '../base/json.ts'
import { inBackground } from '../base/under-way.ts'

/**
 * Messages over standard input and output, one on each line. It behaves like the SDK's own transport, but keeps numbers
 * that a double would change.
 */
export class PipeTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  #parts: Buffer[] = []
  #size = 0
  #isClosed = false
  readonly #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []

  constructor(input: Readable = process.stdin, output: Writable = process.stdout) {
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onEnd)
    this.#input.on('data', this.#onData).on('error', this.#onError).on('end', this.#onEnd).on('close', this.#onEnd)
    this.#output.on('error', this.#onOutputError).on('drain', this.#onDrain)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw closed()
    if (this.#output.write(`${writeJson(message)}\n`)) return
    // A slow reader is waited for.
    await new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** Ends the connection. A pending write may still fail, so the listener for errors of the output stays. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#input.off('data', this.#onData).off('error', this.#onError).off('end', this.#onEnd).off('close', this.#onEnd)
    this.#output.off('drain', this.#onDrain)
    if (this.#input.listenerCount('data') === 0) this.#input.pause()
    this.#parts = []
    for (const { reject } of this.#waiting.splice(0)) reject(closed())
    this.onclose?.()
  }

  readonly #onData = (chunk: Buffer): void => {
    let start = 0
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
      if (this.#isClosed) return
      this.#keep(chunk.subarray(start, end))
      start = end + 1
      const line = Buffer.concat(this.#parts).toString()
      this.#parts = []
      this.#size = 0
      this.#onLine(line)
    }
    this.#keep(chunk.subarray(start))
    if (this.#size <= STDIO_DEFAULT_MAX_BUFFER_SIZE) return
    this.onerror?.(new Error(`A message is longer than ${STDIO_DEFAULT_MAX_BUFFER_SIZE} bytes.`))
    inBackground(this.close())
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#parts.push(part)
    this.#size += part.length
  }

  #onLine(line: string): void {
    let value: unknown
    try {
      value = parseJson(line)
    } catch {
      // What is not JSON is not a message: programs print such lines by mistake.
      return
    }
    try {
      this.onmessage?.(parseJSONRPCMessage(value))
    } catch (error) {
      this.#onError(error as Error)
    }
  }

  readonly #onError = (error: Error): void => this.onerror?.(error)

  readonly #onEnd = (): void => inBackground(this.close())

  readonly #onOutputError = (error: Error): void => {
    if (this.#isClosed) return
    this.onerror?.(error)
    inBackground(this.close())
  }

  readonly #onDrain = (): void => {
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }
}

const closed = () => new Error('The pipe is closed.')

const lineEnd = 0x0a
