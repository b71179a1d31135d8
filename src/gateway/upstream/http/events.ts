import { ReceivedBytes, type ReserveBytes } from '../wire/received-bytes.ts'

/** Receives the events of a stream. */
export interface EventListener {
  event(data: string): void
  /** An event is longer than the limit, or there is no room for it. */
  tooLong(): void
}

const lineFeed = 10
const carriageReturn = 13
const space = 32
const colon = 58
const byteOrderMark = Buffer.from('\ufeff')
const lineEnd = Buffer.from('\n')
/** The longest name of a field that means something. */
const longestName = 5
const longestId = 1_024

/** Parses server-sent events from chunks of bytes, and remembers the id from which the stream can be resumed. */
export class EventReader {
  /** The id of the last complete event, to resume from. */
  lastId: string | undefined
  /** How long the server wants us to wait before we reconnect, in milliseconds. */
  retry: number | undefined
  readonly #listener: EventListener
  /** The line that has not ended yet. Only new chunks are searched for its end. */
  readonly #begun: ReceivedBytes
  readonly #data: ReceivedBytes
  readonly #limit: number
  #hasData = false
  #id: string | undefined
  #atStart = true
  #afterReturn = false

  constructor(limit: number, listener: EventListener, reserve: ReserveBytes) {
    this.#limit = limit
    this.#listener = listener
    this.#begun = new ReceivedBytes(limit, reserve)
    this.#data = new ReceivedBytes(limit, reserve)
  }

  read(chunk: Buffer): void {
    // A LF after a CR ends no line of its own, also if it comes with the next chunk.
    let start = this.#afterReturn && chunk[0] === lineFeed ? 1 : 0
    if (chunk.length > 0) this.#afterReturn = chunk[chunk.length - 1] === carriageReturn
    let cr = chunk.indexOf(carriageReturn, start)
    for (;;) {
      const lf = chunk.indexOf(lineFeed, start)
      if (cr !== -1 && cr < start) cr = chunk.indexOf(carriageReturn, start)
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf
      if (end === -1) break
      this.#lineIn(chunk, start, end)
      start = end === cr && lf === end + 1 ? end + 2 : end + 1
    }
    if (start < chunk.length && (!this.#begun.add(chunk.subarray(start)) || this.#isTooLong())) this.#drop()
  }

  /** Drops what has arrived of the last event. */
  close(): void {
    this.#begun.clear()
    this.#data.clear()
    this.#hasData = false
  }

  #isTooLong(): boolean {
    return this.#begun.length + this.#data.length > this.#limit
  }

  #drop(): void {
    this.close()
    this.#listener.tooLong()
  }

  #lineIn(chunk: Buffer, start: number, end: number) {
    // Most lines arrive whole.
    if (this.#begun.length === 0) return this.#line(chunk, start, end)
    if (!this.#begun.add(chunk.subarray(start, end))) return this.#drop()
    const { bytes } = this.#begun
    this.#begun.clear()
    this.#line(bytes, 0, bytes.length)
  }

  #line(bytes: Buffer, from: number, end: number) {
    const start = from + this.#markLength(bytes, from, end)
    if (start === end) return this.#dispatch()
    const at = bytes.subarray(start, Math.min(end, start + longestName + 1)).indexOf(colon)
    if (at === 0) return
    const nameEnd = at === -1 ? end : start + at
    const valueStart = at === -1 ? end : bytes[nameEnd + 1] === space ? nameEnd + 2 : nameEnd + 1
    const value = bytes.subarray(Math.min(valueStart, end), end)
    switch (nameEnd - start > longestName ? '' : bytes.toString('latin1', start, nameEnd)) {
      case 'data':
        return this.#addData(value)
      case 'id':
        if (value.length <= longestId && !value.includes(0)) this.#id = value.toString()
        return
      case 'retry':
        if (/^\d{1,9}$/.test(value.toString('latin1', 0, 10))) this.retry = Number(value.toString('latin1'))
    }
  }

  /** The length of the byte order mark that a stream may begin with. */
  #markLength(bytes: Buffer, start: number, end: number): number {
    if (!this.#atStart) return 0
    this.#atStart = false
    const { length } = byteOrderMark
    return end - start >= length && bytes.subarray(start, start + length).equals(byteOrderMark) ? length : 0
  }

  #addData(value: Buffer): void {
    const isFirst = !this.#hasData
    this.#hasData = true
    if ((isFirst || this.#data.add(lineEnd)) && this.#data.add(value)) return
    this.#drop()
  }

  #dispatch(): void {
    const data = this.#data.take()
    this.#hasData = false
    if (this.#id !== undefined) this.lastId = this.#id
    if (data !== '') this.#listener.event(data)
  }
}
