import { programName, spellsCommands } from './spelled-commands.ts'

const longest = 10_000
/** Words that every shell takes as they are: no expansion, pattern, escape, redirection or assignment. */
const plainWord = /^[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:@%+,=-]*$/
/** PowerShell takes curly quotes for straight ones. */
const plainText = /^[^\p{Cc}\u2018-\u201f]*$/u
const operators = /^(?:&&|\|\||\||;|\n)/

/**
 * The commands of a line that consists of nothing but plain words, quoted texts without anything to expand, and `&&`,
 * `||`, `|`, `;` or line ends between them: sh, bash, zsh and PowerShell all run exactly these. Each is its words with one
 * space between them. Undefined: nobody can tell for certain.
 */
export function plainCommands(text: string): readonly string[] | undefined {
  if (text.length > longest) return undefined
  const commands: string[][] = [[]]
  // Other spaces are part of a word.
  let rest = text.replace(/^[ \t\n]+/, '')
  let isJoined = false
  let isUnfinished = false
  while (rest !== '') {
    const operator = operators.exec(rest)?.[0]
    const word = operator === undefined ? /^(?:'[^'\n]*'|"[^"\n$`\\!]*"|[^\s'"&|;]+)/.exec(rest)?.[0] : undefined
    const last = commands.at(-1) as string[]
    if (operator !== undefined) {
      // An operator needs a command before it; after all but `;` and a line end, another one must follow.
      if (last.length === 0 && !(operator === '\n' && commands.length > 0)) return undefined
      if (last.length > 0) {
        commands.push([])
        isUnfinished = operator !== ';' && operator !== '\n'
      }
      isJoined = false
    } else if (word === undefined || isJoined || !isPlain(word, last.length === 0)) return undefined
    else {
      last.push(word)
      isUnfinished = false
    }
    const after = rest.slice((operator ?? word ?? '').length)
    // Two texts without a space between them are one word, which is left to the shell.
    isJoined = operator === undefined && /^['"A-Za-z0-9_./:@%+,=-]/.test(after)
    rest = after.replace(/^[ \t]+/, '')
  }
  const found = commands.filter((words) => words.length > 0)
  if (found.length === 0 || isUnfinished || found.some(spellsCommands)) return undefined
  return found.map((words) => words.join(' '))
}

function isPlain(word: string, isFirst: boolean): boolean {
  if (word.startsWith("'") || word.startsWith('"')) return !isFirst && plainText.test(word)
  return plainWord.test(word) && !(isFirst && word.includes('='))
}

/** Ways to write what a plain command runs: also without quotes, and with the program's name for its path. */
export function spellingsOf(command: string): readonly string[] {
  const bare = command.replace(/'([^']*)'|"([^"]*)"/g, '$1$2')
  return [command, bare].flatMap((one) => [one, one.replace(/^\S+/, programName)])
}
