import { Utf8Chunks } from '../wire/utf8.ts'

/** Receives the lines of a stream. */
export interface LineListener {
  line(text: string): void
  /** A line over the limit; only its beginning and its end were kept. */
  tooLong(head: string, tail: string): void
}

const excerptLength = 1_024

/** Splits chunks of bytes into lines, and never buffers more than one line of the maximum length. */
export class LineReader {
  readonly #bytes = new Utf8Chunks()
  readonly #limit: number
  readonly #listener: LineListener
  #rest = ''
  #head: string | undefined

  constructor(limit: number, listener: LineListener) {
    this.#limit = limit
    this.#listener = listener
  }

  read(chunk: Buffer): void {
    const text = this.#rest + this.#bytes.decode(chunk)
    let start = 0
    for (;;) {
      const end = text.indexOf('\n', start)
      if (end === -1) break
      this.#line(text.slice(start, end))
      start = end + 1
    }
    this.#rest = text.slice(start)
    if (this.#rest.length > this.#limit) {
      this.#head ??= this.#rest.slice(0, excerptLength)
      this.#rest = this.#rest.slice(-excerptLength)
    }
  }

  #line(line: string) {
    if (this.#head !== undefined || line.length > this.#limit) {
      const head = this.#head ?? line.slice(0, excerptLength)
      this.#head = undefined
      return this.#listener.tooLong(head, line.slice(-excerptLength))
    }
    const text = line.trim()
    if (text !== '') this.#listener.line(text)
  }
}
