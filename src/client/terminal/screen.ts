/** The output stream: a terminal, or a stand-in for one. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined; readonly columns?: number }

export type TerminalEnvironment = Readonly<Record<string, string | undefined>>

const styles = { bold: [1, 22], dim: [2, 22], underline: [4, 24] } as const

const minWidth = 20
const maxWidth = 100

/** Writes lines no wider than the terminal. Untrusted text must have gone through `visibleText` or `visibleLine`. */
export class Screen {
  readonly output: Output
  readonly #hasStyles: boolean
  /** Whether a line may be redrawn. False if output is not a terminal, or each line may be read aloud. */
  readonly canRedraw: boolean

  constructor(output: Output, env: TerminalEnvironment) {
    this.output = output
    this.canRedraw = output.isTTY === true && env.TERM !== 'dumb'
    this.#hasStyles = this.canRedraw && !env.NO_COLOR
  }

  get width(): number {
    // The last column stays free: some terminals wrap as soon as it is filled.
    return Math.max(minWidth, Math.min(this.output.columns || 80, maxWidth) - 1)
  }

  /** Prints our own text, wrapped; each line begins with `indent`. */
  print(text = '', { indent = '', style }: { indent?: string; style?: keyof typeof styles } = {}): void {
    for (const line of wrap(text, this.width - indent.length))
      this.raw(`${indent}${style ? this[style](line) : line}\n`)
  }

  /** Prints untrusted text, every character of it. Each line begins with a mark: another one where a line was wrapped. */
  quote(text: string, indent = ''): void {
    for (const line of text.split('\n')) {
      wrapWhole(line, Math.max(this.width - indent.length - 2, 8)).forEach((part, index) => {
        this.raw(`${indent}${index === 0 ? '│' : '┊'} ${part}\n`)
      })
    }
  }

  /** Prints one bold line, cut to the width. */
  title(text: string): void {
    this.raw(`${this.bold(cut(text, this.width))}\n`)
  }

  raw(text: string): void {
    this.output.write(text)
  }

  bold(text: string): string {
    return this.#styled('bold', text)
  }

  dim(text: string): string {
    return this.#styled('dim', text)
  }

  underline(text: string): string {
    return this.#styled('underline', text)
  }

  #styled(style: keyof typeof styles, text: string): string {
    const [on, off] = styles[style]
    return this.#hasStyles ? `\x1b[${on}m${text}\x1b[${off}m` : text
  }
}

/** Cuts a text to a number of terminal cells. */
export function cut(text: string, width: number): string {
  if (cellsOf(text) <= width) return text
  let shown = ''
  let used = 2
  for (const character of text) {
    used += cellsOf(character)
    if (used > width) break
    shown += character
  }
  return `${shown}…`
}

/** Wraps text at spaces; a word is broken only if it is wider than a line. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(width, 2)))
}

function wrapLine(line: string, width: number): string[] {
  if (cellsOf(line) <= width) return [line]
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<= )/).flatMap((word) => pieces(word, width))) {
    if (cellsOf(current) + cellsOf(word.trimEnd()) > width) {
      lines.push(current.trimEnd())
      current = ''
    }
    current += word
  }
  return [...lines, current.trimEnd()]
}

/** Like `wrap` for one line, and keeps the blanks where it breaks. */
function wrapWhole(line: string, width: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<= )/).flatMap((word) => pieces(word, width))) {
    if (current !== '' && cellsOf(current) + cellsOf(word) > width) {
      lines.push(current)
      current = ''
    }
    current += word
  }
  return [...lines, current]
}

function pieces(word: string, width: number): string[] {
  if (cellsOf(word) <= width) return [word]
  const all: string[] = []
  let piece = ''
  let used = 0
  for (const character of word) {
    const cells = cellsOf(character)
    if (used + cells > width) {
      all.push(piece)
      piece = ''
      used = 0
    }
    piece += character
    used += cells
  }
  return [...all, piece]
}

/** An upper bound of the cells that a text takes, so that untrusted text never wraps to a line without its mark. */
function cellsOf(text: string): number {
  if (isAscii.test(text)) return text.length
  let cells = 0
  for (const character of text) {
    if (character === '\t') cells += widestTab
    else cells += isCombining.test(character) ? 0 : character < '\u1100' ? 1 : 2
  }
  return cells
}

const widestTab = 8

const isAscii = /^[\x20-\x7e]*$/
const isCombining = /[\p{Mn}\p{Me}\u200c\u200d]/u
