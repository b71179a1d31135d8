import { PassThrough, Writable } from 'node:stream'
import type { Input } from '../../../src/client/terminal/dialogue.ts'
import type { Output } from '../../../src/client/terminal/screen.ts'

/** A terminal for tests: the test types, and all output is recorded. */
export interface FakeTerminal {
  readonly input: Input
  readonly output: Output
  type(text: string): void
  /** All output so far, with control sequences. */
  shown(): string
  /** Waits until this text is shown, after the text of the previous `see`. */
  see(what: string): Promise<void>
}

export function fakeTerminal({ columns = 80, isTTY = true } = {}): FakeTerminal {
  let shown = ''
  let seen = 0
  let check = () => {}
  const input = Object.assign(new PassThrough(), { isTTY })
  const sink = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      shown += String(chunk)
      done()
      check()
    },
  })
  return {
    input,
    output: Object.assign(sink, { columns, isTTY }),
    type: (text) => void input.write(text),
    shown: () => shown,
    see: (what) =>
      new Promise((resolve) => {
        check = () => {
          const at = shown.indexOf(what, seen)
          if (at < 0) return
          seen = at + what.length
          check = () => {}
          // The prompt is written before its listener is attached.
          setImmediate(resolve)
        }
        check()
      }),
  }
}

/** The output without control sequences. */
export function plain(shown: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
  return shown.replace(/\x1b\[[\d;]*[A-Za-z]/g, '')
}
