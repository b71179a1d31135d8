import { ReceivedBytes, type ReserveBytes } from '../wire/received-bytes.ts'

/** Receives the lines of a stream. */
export interface LineListener {
  line(text: string): void
  /** A line over the limit; only its beginning and its end were kept. */
  tooLong(head: string, tail: string): void
  /** A line has become several times as long as the limit, and has not ended. Called once for such a line. */
  endless?(): void
}

const newline = 10
const excerptLength = 1_024
/** How many times the limit a line may be long before it counts as endless. */
const endlessFactor = 4

/** A line that is not kept any more. */
interface SkippedLine {
  readonly head: Buffer
  tail: Buffer
  length: number
  isEndless: boolean
}

/** Splits chunks of bytes into lines, and never buffers more than one line of the maximum length. */
export class LineReader {
  readonly #limit: number
  readonly #listener: LineListener
  /** The line that has not ended yet. Only new chunks are searched for its end. */
  readonly #begun: ReceivedBytes
  #skipped: SkippedLine | undefined

  constructor(limit: number, listener: LineListener, reserve: ReserveBytes) {
    this.#limit = limit
    this.#listener = listener
    this.#begun = new ReceivedBytes(limit, reserve)
  }

  read(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(newline, start)
      if (end === -1) break
      this.#end(chunk, start, end)
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
  }

  /** Drops what has arrived of the last line. */
  close(): void {
    this.#begun.clear()
    this.#skipped = undefined
  }

  #end(chunk: Buffer, start: number, end: number) {
    // Most lines arrive whole.
    if (this.#skipped === undefined && this.#begun.length === 0 && end - start <= this.#limit)
      return this.#line(chunk.toString('utf8', start, end))
    this.#add(chunk.subarray(start, end))
    const skipped = this.#skipped
    if (skipped === undefined) return this.#line(this.#begun.take())
    this.#skipped = undefined
    this.#listener.tooLong(skipped.head.toString(), skipped.tail.toString())
  }

  #line(line: string): void {
    const text = line.trim()
    if (text !== '') this.#listener.line(text)
  }

  #add(part: Buffer): void {
    const skipped = this.#skipped
    if (skipped === undefined) {
      if (!this.#begun.add(part)) this.#skip(part)
      return
    }
    skipped.length += part.length
    skipped.tail = lastOf(skipped.tail, part)
    if (skipped.isEndless || skipped.length <= this.#limit * endlessFactor) return
    skipped.isEndless = true
    this.#listener.endless?.()
  }

  #skip(part: Buffer): void {
    const { bytes } = this.#begun
    const head = Buffer.concat([bytes.subarray(0, excerptLength), part.subarray(0, excerptLength)])
    this.#skipped = {
      head: head.subarray(0, excerptLength),
      tail: lastOf(bytes, part),
      length: bytes.length + part.length,
      isEndless: false,
    }
    this.#begun.clear()
  }
}

function lastOf(before: Buffer, part: Buffer): Buffer {
  return Buffer.concat([before.subarray(-excerptLength), part.subarray(-excerptLength)]).subarray(-excerptLength)
}
