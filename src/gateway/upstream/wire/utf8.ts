import { StringDecoder } from 'node:string_decoder'

/** Decodes chunks of UTF-8 that may end in the middle of a character. */
export class Utf8Chunks {
  #decoder: StringDecoder | undefined

  decode(chunk: Buffer): string {
    // Most chunks end with a whole character, and making a decoder costs more than decoding the chunk.
    if (this.#decoder === undefined && (chunk[chunk.length - 1] ?? 0) < 0x80) return chunk.toString()
    this.#decoder ??= new StringDecoder('utf8')
    return this.#decoder.write(chunk)
  }
}
