import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Screen } from './screen.ts'

/** The input stream: a terminal, or a stand-in for one. */
export type Input = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined
  setRawMode?(isRaw: boolean): unknown
}

/** What the person entered at a prompt. */
export type PromptReply =
  | { readonly kind: 'text'; readonly text: string }
  /** A word after a colon, such as `:skip`. */
  | { readonly kind: 'command'; readonly name: string }
  | DialogueExit

/** The person declined, cancelled, or closed the terminal. */
export interface DialogueExit {
  readonly kind: 'exit'
  readonly action: 'decline' | 'cancel'
}

const exit = (action: DialogueExit['action']): DialogueExit => ({ kind: 'exit', action })

/** For how long earlier input is read and discarded before a question is shown. */
const discardMs = 25

/** Asks one prompt after the other. Input that was pasted beyond the end of a line does not answer the next prompt. */
export class Dialogue {
  readonly #lines: Interface
  readonly #input: Input
  readonly #screen: Screen
  readonly #signal: AbortSignal
  #options: readonly string[] = []
  #chosen = -1
  #answer: ((reply: PromptReply) => void) | undefined

  private constructor(input: Input, screen: Screen, signal: AbortSignal) {
    this.#input = input
    this.#screen = screen
    this.#signal = signal
    this.#lines = createInterface({ input, output: screen.output, terminal: true, historySize: 0 })
    this.#lines.on('line', (line) => this.#settle(readLine(line)))
    this.#lines.on('SIGINT', this.#cancel)
    this.#lines.on('close', this.#cancel)
    input.on('keypress', this.#onKey)
    signal.addEventListener('abort', this.#cancel)
  }

  static async open(input: Input, screen: Screen, signal: AbortSignal): Promise<Dialogue> {
    await discardTyped(input)
    return new Dialogue(input, screen, signal)
  }

  /** Asks for a line. With `options`, the arrow keys select one of them. */
  ask(prompt: string, options: readonly string[] = []): Promise<PromptReply> {
    if (this.#signal.aborted) return Promise.resolve(exit('cancel'))
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
    this.#signal.removeEventListener('abort', this.#cancel)
    this.#input.removeListener('keypress', this.#onKey)
    this.#lines.close()
  }

  #settle(reply: PromptReply): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.(reply)
  }

  readonly #cancel = (): void => {
    if (this.#answer === undefined) return
    this.#screen.raw('\n')
    this.#settle(exit('cancel'))
  }

  readonly #onKey = (_: unknown, key?: { name?: string }): void => {
    const step = key?.name === 'down' ? 1 : key?.name === 'up' ? -1 : 0
    if (step === 0 || this.#options.length === 0 || this.#answer === undefined) return
    const from = this.#chosen < 0 && step < 0 ? 0 : this.#chosen
    this.#chosen = (from + step + this.#options.length) % this.#options.length
    // In a comma-separated list, the arrow keys replace only the last item.
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

/** Discards input that was typed before the question was shown. */
export async function discardTyped(input: Input): Promise<void> {
  const drop = () => {}
  input.setRawMode?.(true)
  input.on('data', drop)
  input.resume()
  await sleep(discardMs)
  input.removeListener('data', drop)
  input.pause()
}

/** Reads a line as text or as a command. Two colons at the beginning stand for one. */
function readLine(line: string): PromptReply {
  const text = line.trim()
  if (text.startsWith('::')) return { kind: 'text', text: text.slice(1) }
  const [, name] = /^:([a-z]+)$/i.exec(text) ?? []
  switch (name?.toLowerCase()) {
    case undefined:
      return { kind: 'text', text }
    case 'decline':
      return exit('decline')
    case 'cancel':
      return exit('cancel')
    default:
      return { kind: 'command', name: String(name).toLowerCase() }
  }
}
