import { emitKeypressEvents } from 'node:readline'
import { isUrl } from '../../base/public-address.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { WaitRequest } from '../ui.ts'
import { discardTyped, type Input } from './dialogue.ts'
import type { Screen } from './screen.ts'
import { StatusLine } from './status-line.ts'

/** A wait for a person who is on a page, shown while no question uses the terminal. */
export class ShownWait {
  readonly reply: Promise<'done' | 'cancel'>
  readonly #input: Input
  readonly #line: StatusLine
  #isShown = false
  #resolve: (reply: 'done' | 'cancel') => void = () => {}

  constructor(input: Input, screen: Screen, request: WaitRequest) {
    const host = isUrl(request.url) ? new URL(request.url).host : request.url
    const withKeys = (text: string) => `${text} (d: I am done, c: cancel)`
    this.#input = input
    this.#line = new StatusLine(screen, withKeys(`Waiting for you to finish on ${visibleLine(host, 60)}`))
    this.reply = new Promise((resolve) => {
      this.#resolve = resolve
    })
    request.onProgress((text) => {
      this.#line.text = withKeys(visibleLine(text))
    })
  }

  async show(): Promise<void> {
    if (this.#isShown) return
    this.#isShown = true
    await discardTyped(this.#input)
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

  /** Ends the wait without a reply of the person. */
  readonly end = (): void => this.#resolve('done')

  readonly #press = (_: unknown, key: { name?: string; ctrl?: boolean } = {}): void => {
    if (key.name === 'd' && !key.ctrl) this.#resolve('done')
    if (key.name === 'c') this.#resolve('cancel')
  }
}
