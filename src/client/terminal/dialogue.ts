import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Screen } from './screen.ts'

/** What is read from: a terminal, or anything that takes its place. */
export type Input = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined
  setRawMode?(isRaw: boolean): unknown
}

/** What a person did at a prompt. */
export type Said =
  | { readonly kind: 'text'; readonly text: string }
  /** A word after a colon, such as `:skip`. */
  | { readonly kind: 'command'; readonly name: string }
  | Leaving

/** They want no part in it, or are gone. */
export interface Leaving {
  readonly kind: 'leave'
  readonly action: 'decline' | 'cancel'
}

const leaving = (action: Leaving['action']): Leaving => ({ kind: 'leave', action })

/** Whatever was typed before the question was there does not answer it. */
const settleMs = 25

/** Prompts one after the other. What is typed or pasted beyond the end of a line does not answer the next. */
export class Dialogue {
  readonly #lines: Interface
  readonly #input: Input
  readonly #screen: Screen
  readonly #signal: AbortSignal
  #options: readonly string[] = []
  #chosen = -1
  #answer: ((said: Said) => void) | undefined

  private constructor(input: Input, screen: Screen, signal: AbortSignal) {
    this.#input = input
    this.#screen = screen
    this.#signal = signal
    this.#lines = createInterface({ input, output: screen.output, terminal: true, historySize: 0 })
    this.#lines.on('line', (line) => this.#settle(readLine(line)))
    this.#lines.on('SIGINT', this.#leave)
    this.#lines.on('close', this.#leave)
    input.on('keypress', this.#move)
    signal.addEventListener('abort', this.#leave)
  }

  static async open(input: Input, screen: Screen, signal: AbortSignal): Promise<Dialogue> {
    await dropTyped(input)
    return new Dialogue(input, screen, signal)
  }

  /** Asks for a line. With `options`, the arrow keys go through them. */
  ask(prompt: string, options: readonly string[] = []): Promise<Said> {
    if (this.#signal.aborted) return Promise.resolve(leaving('cancel'))
    this.#options = options
    this.#chosen = -1
    return new Promise((resolve) => {
      this.#rewrite('')
      this.#answer = resolve
      this.#lines.setPrompt(prompt)
      this.#lines.prompt()
    })
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#leave)
    this.#input.removeListener('keypress', this.#move)
    this.#lines.close()
  }

  #settle(said: Said): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.(said)
  }

  readonly #leave = (): void => {
    if (this.#answer === undefined) return
    this.#screen.raw('\n')
    this.#settle(leaving('cancel'))
  }

  readonly #move = (_: unknown, key?: { name?: string }): void => {
    const step = key?.name === 'down' ? 1 : key?.name === 'up' ? -1 : 0
    if (step === 0 || this.#options.length === 0 || this.#answer === undefined) return
    const from = this.#chosen < 0 && step < 0 ? 0 : this.#chosen
    this.#chosen = (from + step + this.#options.length) % this.#options.length
    // Of a list with commas only the last is chosen anew.
    const before = /^(.*,)/.exec(this.#lines.line)?.[1]
    this.#rewrite(`${before === undefined ? '' : `${before} `}${this.#options[this.#chosen]}`)
  }

  #rewrite(line: string): void {
    if (this.#lines.line !== '') {
      this.#lines.write(null, { ctrl: true, name: 'e' })
      this.#lines.write(null, { ctrl: true, name: 'u' })
    }
    if (line !== '') this.#lines.write(line)
  }
}

/** Takes what waits to be read, and forgets it. */
export async function dropTyped(input: Input): Promise<void> {
  const drop = () => {}
  input.setRawMode?.(true)
  input.on('data', drop)
  input.resume()
  await sleep(settleMs)
  input.removeListener('data', drop)
  input.pause()
}

/** Two colons stand for one, for text that begins with it. */
function readLine(line: string): Said {
  const text = line.trim()
  if (text.startsWith('::')) return { kind: 'text', text: text.slice(1) }
  const [, name] = /^:([a-z]+)$/i.exec(text) ?? []
  switch (name?.toLowerCase()) {
    case undefined:
      return { kind: 'text', text }
    case 'decline':
      return leaving('decline')
    case 'cancel':
      return leaving('cancel')
    default:
      return { kind: 'command', name: String(name).toLowerCase() }
  }
}
