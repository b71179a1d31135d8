import { Utf8Chunks } from '../wire/utf8.ts'

/** Receives the events of a stream. */
export interface EventListener {
  event(data: string): void
  /** An event is longer than the limit. */
  tooLong(): void
}

/** Parses server-sent events from chunks of bytes, and remembers the id from which the stream can be resumed. */
export class EventReader {
  /** The id of the last complete event, to resume from. */
  lastId: string | undefined
  /** How long the server wants us to wait before we reconnect, in milliseconds. */
  retry: number | undefined
  readonly #bytes = new Utf8Chunks()
  readonly #limit: number
  readonly #listener: EventListener
  #rest = ''
  #data: string | undefined
  #id: string | undefined
  #atStart = true

  constructor(limit: number, listener: EventListener) {
    this.#limit = limit
    this.#listener = listener
  }

  read(chunk: Buffer): void {
    let text = this.#rest + this.#bytes.decode(chunk)
    if (this.#atStart && text.length > 0) {
      this.#atStart = false
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1)
    }
    let start = 0
    let cr = text.indexOf('\r')
    for (;;) {
      const lf = text.indexOf('\n', start)
      if (cr !== -1 && cr < start) cr = text.indexOf('\r', start)
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf
      // A CR at the very end may be half of a CR LF: wait for the next chunk.
      if (end === -1 || (end === cr && end === text.length - 1)) break
      this.#line(text.slice(start, end))
      start = end === cr && lf === end + 1 ? end + 2 : end + 1
    }
    this.#rest = text.slice(start)
    if (this.#rest.length + (this.#data?.length ?? 0) > this.#limit) {
      this.#rest = ''
      this.#data = undefined
      this.#listener.tooLong()
    }
  }

  #line(line: string) {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    if (field === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retry = Number(value)
  }

  #dispatch(): void {
    const data = this.#data
    this.#data = undefined
    if (this.#id !== undefined) this.lastId = this.#id
    if (data === undefined || data === '') return
    if (data.length > this.#limit) this.#listener.tooLong()
    else this.#listener.event(data)
  }
}
