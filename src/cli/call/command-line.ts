import { BadArgument } from '../../base/errors.ts'

/** Splits a command line at spaces, with quotes as in a shell; nothing else of a shell is done. */
export function splitCommand(line: string): string[] {
  const words: string[] = []
  const part = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)\s*/y
  while (part.lastIndex < line.length) {
    const [, word] = part.exec(line) ?? []
    if (word === undefined) {
      if (line.trim() === '') return []
      throw new BadArgument('The command line has a quote that does not end.')
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
