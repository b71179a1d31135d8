import { emitKeypressEvents } from 'node:readline'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { WaitRequest } from '../ui.ts'
import { dropTyped, type Input } from './dialogue.ts'
import type { Screen } from './screen.ts'
import { StatusLine } from './status-line.ts'

/** A page that the person is on, shown whenever no question has the terminal. */
export class ShownWait {
  readonly said: Promise<'done' | 'cancel'>
  readonly #input: Input
  readonly #line: StatusLine
  #isShown = false
  #settle: (said: 'done' | 'cancel') => void = () => {}

  constructor(input: Input, screen: Screen, request: WaitRequest) {
    const host = URL.canParse(request.url) ? new URL(request.url).host : request.url
    const waiting = (news: string) => `${news} (d: I am done, c: cancel)`
    this.#input = input
    this.#line = new StatusLine(screen, waiting(`Waiting for you to finish on ${visibleLine(host, 60)}`))
    this.said = new Promise((resolve) => {
      this.#settle = resolve
    })
    request.onProgress((text) => {
      this.#line.text = waiting(visibleLine(text))
    })
  }

  async show(): Promise<void> {
    if (this.#isShown) return
    this.#isShown = true
    await dropTyped(this.#input)
    if (!this.#isShown) return
    emitKeypressEvents(this.#input)
    this.#input.on('keypress', this.#press)
    this.#input.setRawMode?.(true)
    this.#input.resume()
    this.#line.show()
  }

  hide(): void {
    if (!this.#isShown) return
    this.#isShown = false
    this.#line.hide()
    this.#input.removeListener('keypress', this.#press)
    this.#input.setRawMode?.(false)
    this.#input.pause()
  }

  /** It is over without the person's word. */
  readonly end = (): void => this.#settle('done')

  readonly #press = (_: unknown, key: { name?: string; ctrl?: boolean } = {}): void => {
    if (key.name === 'd' && !key.ctrl) this.#settle('done')
    if (key.name === 'c') this.#settle('cancel')
  }
}
