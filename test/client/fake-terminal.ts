import { PassThrough, Writable } from 'node:stream'
import type { Input } from '../../src/client/terminal/dialogue.ts'
import type { Output } from '../../src/client/terminal/screen.ts'

/** A terminal without a window: what a test types is read, and what was shown is kept. */
export interface FakeTerminal {
  readonly input: Input
  readonly output: Output
  type(text: string): void
  /** Everything shown so far, as it went out. */
  shown(): string
  /** Waits until this is shown, after whatever was waited for before. */
  see(what: string): Promise<void>
}

export function fakeTerminal({ columns = 80, isTTY = true } = {}): FakeTerminal {
  let shown = ''
  let seen = 0
  let look = () => {}
  const input = Object.assign(new PassThrough(), { isTTY })
  const sink = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      shown += String(chunk)
      done()
      look()
    },
  })
  return {
    input,
    output: Object.assign(sink, { columns, isTTY }),
    type: (text) => void input.write(text),
    shown: () => shown,
    see: (what) =>
      new Promise((resolve) => {
        look = () => {
          const at = shown.indexOf(what, seen)
          if (at < 0) return
          seen = at + what.length
          look = () => {}
          // The prompt is out before it listens.
          setImmediate(resolve)
        }
        look()
      }),
  }
}

/** What a terminal shows of it: without the signs that move the cursor and set the style. */
export function plain(shown: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is taken out
  return shown.replace(/\x1b\[[\d;]*[A-Za-z]/g, '')
}
