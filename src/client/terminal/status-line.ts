import { cut, type Screen } from './screen.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 120

/**
 * One line that says what is under way and since when, redrawn in place. An output that cannot be redrawn gets each text
 * once, on a line of its own.
 */
export class StatusLine {
  readonly #screen: Screen
  readonly #since = performance.now()
  #text: string
  #said: string | undefined
  #frame = 0
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(screen: Screen, text: string) {
    this.#screen = screen
    this.#text = text
  }

  set text(text: string) {
    this.#text = text
    if (this.#timer !== undefined) this.#draw()
  }

  show(): void {
    if (this.#timer !== undefined || this.#hasEnded) return
    this.#timer = setInterval(() => this.#draw(), this.#screen.canRedraw ? frameMs : 2 ** 31 - 1)
    this.#timer.unref()
    this.#draw()
  }

  hide(): void {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#screen.canRedraw) this.#screen.raw('\r\x1b[2K')
  }

  /** Hides the line for good. A question may end after the call that asked it, and would show the line again. */
  end(): void {
    this.hide()
    this.#hasEnded = true
  }

  #draw(): void {
    if (this.#screen.canRedraw) {
      this.#frame = (this.#frame + 1) % frames.length
      const line = `${frames[this.#frame]} ${elapsed(performance.now() - this.#since)}  ${this.#text}`
      this.#screen.raw(`\r\x1b[2K${cut(line, this.#screen.width)}`)
    } else if (this.#text !== this.#said) {
      this.#said = this.#text
      this.#screen.print(this.#text)
    }
  }
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
