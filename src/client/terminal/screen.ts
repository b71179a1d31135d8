/** What is written to: a terminal, or anything that takes its place. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined; readonly columns?: number }

export type Environment = Readonly<Record<string, string | undefined>>

const styles = { bold: [1, 22], dim: [2, 22], underline: [4, 24] } as const

const narrowest = 20
const widest = 100

/** Lines on a terminal, none wider than its window. What strangers wrote must be made visible before it comes here. */
export class Screen {
  readonly output: Output
  readonly #hasStyles: boolean
  /** Whether a line may be drawn over: not where each line is read aloud or printed. */
  readonly canRedraw: boolean

  constructor(output: Output, env: Environment) {
    this.output = output
    this.canRedraw = output.isTTY === true && env.TERM !== 'dumb'
    this.#hasStyles = this.canRedraw && !env.NO_COLOR
  }

  get width(): number {
    // The last column stays free: some terminals wrap as soon as it is filled.
    return Math.max(narrowest, Math.min(this.output.columns || 80, widest) - 1)
  }

  /** Our own words, wrapped; each line begins with `indent`. */
  say(text = '', { indent = '', style }: { indent?: string; style?: keyof typeof styles } = {}): void {
    for (const line of wrap(text, this.width - indent.length))
      this.raw(`${indent}${style ? this[style](line) : line}\n`)
  }

  /** A stranger's words: every line bears the mark of a quotation, also where it is wrapped. */
  quote(text: string, indent = ''): void {
    this.say(text, { indent: `${indent}│ ` })
  }

  /** One line at most. */
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

/** The text without what does not fit into so many cells. */
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

/** Breaks lines at spaces, and words only where they are wider than a line. */
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

/** At least as many cells as a terminal takes: so a stranger's words never run on to a line without their mark. */
function cellsOf(text: string): number {
  if (isAscii.test(text)) return text.length
  let cells = 0
  for (const character of text) cells += belongsToLast.test(character) ? 0 : character < '\u1100' ? 1 : 2
  return cells
}

const isAscii = /^[\x20-\x7e]*$/
const belongsToLast = /[\p{Mn}\p{Me}\u200c\u200d]/u
