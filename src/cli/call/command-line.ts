import { BadArgument } from '../../base/errors.ts'

/** Splits a command line at spaces. Quotes and backslashes work as in a shell; nothing is expanded. */
export function splitCommand(line: string): string[] {
  const words: string[] = []
  const part = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)\s*/y
  while (part.lastIndex < line.length) {
    const [, word] = part.exec(line) ?? []
    if (word === undefined) {
      if (line.trim() === '') return []
      throw new BadArgument('The command line has a quote that is not closed. Close it, or escape it with a backslash.')
    }
    words.push(unquoted(word))
  }
  return words
}

function unquoted(word: string): string {
  return word.replace(
    /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
    (_, escaped, double, single) => escaped ?? (double === undefined ? single : double.replace(/\\(["\\$`])/g, '$1')),
  )
}
