/** Words that every shell takes as they are: no expansion, pattern, escape, redirection or assignment. */
const plainWord = /^[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:@%+,=-]*$/
/** What runs other commands, reads them, or changes what the next ones mean. */
const notCommands = new Set(
  (
    '. : alias bg builtin case command coproc declare do done elif else enable env esac eval exec export fg fi for ' +
    'function if in local nice nohup readonly select set setsid shopt source stdbuf sudo then time timeout trap typeset ' +
    'unalias unset until while xargs'
  ).split(' '),
)
const operators = /^(?:&&|\|\||\||;|\n)/

/**
 * The commands of a line that consists of nothing but plain words, quoted texts without anything to expand, and `&&`,
 * `||`, `|`, `;` or line ends between them: sh, bash and zsh all run exactly these. Each is its words with one space between
 * them. Undefined: nobody can tell for certain.
 */
export function plainCommands(text: string): readonly string[] | undefined {
  const commands: string[][] = [[]]
  // Other spaces are part of a word.
  let rest = text.replace(/^[ \t\n]+|[ \t\n]+$/g, '')
  let isJoined = false
  while (rest !== '') {
    const operator = operators.exec(rest)?.[0]
    const word = operator === undefined ? /^(?:'[^'\n]*'|"[^"\n$`\\!]*"|[^\s'"&|;]+)/.exec(rest)?.[0] : undefined
    const last = commands.at(-1) as string[]
    if (operator !== undefined) {
      // An operator needs a command before it.
      if (last.length === 0 && !(operator === '\n' && commands.length > 0)) return undefined
      if (last.length > 0) commands.push([])
      isJoined = false
    } else if (word === undefined || isJoined || !isPlain(word, last.length === 0)) return undefined
    else last.push(word)
    const after = rest.slice((operator ?? word ?? '').length)
    // Two texts without a space between them are one word, which is left to the shell.
    isJoined = operator === undefined && /^['"A-Za-z0-9_./:@%+,=-]/.test(after)
    rest = after.replace(/^[ \t]+/, '')
  }
  const found = commands.filter((words) => words.length > 0)
  // After `&&` and its like, a command must follow.
  if (found.length === 0 || /(?:&&|\|)\s*$/.test(text)) return undefined
  return found.map((words) => words.join(' '))
}

function isPlain(word: string, isFirst: boolean): boolean {
  if (word.startsWith("'") || word.startsWith('"')) return !isFirst && !/\p{Cc}/u.test(word)
  return plainWord.test(word) && !(isFirst && (word.includes('=') || notCommands.has(word)))
}
