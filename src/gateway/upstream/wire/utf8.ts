import { StringDecoder } from 'node:string_decoder'

/** Text from chunks of bytes that may end in the middle of a character. */
export class Utf8Chunks {
  #decoder: StringDecoder | undefined

  decode(chunk: Buffer): string {
    // Most chunks end with a whole character, and a decoder costs more than the chunk.
    if (this.#decoder === undefined && (chunk[chunk.length - 1] ?? 0) < 0x80) return chunk.toString()
    this.#decoder ??= new StringDecoder('utf8')
    return this.#decoder.write(chunk)
  }
}
