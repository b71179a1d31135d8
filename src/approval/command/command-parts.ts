import type { ToolCall } from '../tool-call.ts'

const longest = 10_000
const deepest = 8
/** What this does not take apart: documents, arithmetic, tests, loops, functions, comments, `$'…'`, `$"…"`, `${…;…}`, `\>`. */
const tooHard =
  /<<|\(\(|\[\[|\(\)|(?:^|[\s;&|])(?:case|for|while|until|if|select|function)\s|(?:^|[\s;&|()`])#|\$['"]|\$\{[^}$]*[$;&|()'"`\s]|\\[<>]/

/**
 * The commands in a shell command, each as it is written, those in `$(…)`, backticks and brackets after the one they are in. A help
 * for the eye beside the whole command. Undefined: it cannot be taken apart for certain, or there is but one.
 */
export function commandParts(text: string): readonly string[] | undefined {
  if (text.length > longest || tooHard.test(text)) return undefined
  const parts = split(text, 0)
  return parts === undefined || parts.length < 2 ? undefined : parts
}

/** The same for a call that runs a shell command. */
export function commandsIn({ arguments: given }: Pick<ToolCall, 'arguments'>): readonly string[] | undefined {
  const command = Object.hasOwn(given, 'command') ? given.command : undefined
  return typeof command === 'string' ? commandParts(command) : undefined
}

function split(text: string, depth: number): string[] | undefined {
  if (depth > deepest) return undefined
  const found: string[] = []
  let inner: string[] = []
  let start = 0
  let quote = ''
  const end = (at: number) => {
    const command = text.slice(start, at).trim()
    if (command !== '') found.push(command)
    found.push(...inner)
    inner = []
  }
  for (let at = 0; at < text.length; at += 1) {
    const here = text[at] as string
    if (quote === "'") {
      if (here === "'") quote = ''
    } else if (here === '\\') at += 1
    else if (here === '`' || (here === '(' && (quote === '' || text[at - 1] === '$'))) {
      const to = here === '`' ? text.indexOf('`', at + 1) : closing(text, at)
      const nested = to === undefined || to < 0 ? undefined : split(text.slice(at + 1, to), depth + 1)
      if (nested === undefined) return undefined
      inner.push(...nested)
      at = to as number
    } else if (here === ')') return undefined
    else if (quote === '"') {
      if (here === '"') quote = ''
    } else if (here === "'" || here === '"') quote = here
    else if (isOperator(text, at)) {
      end(at)
      while (/[;&|\n]/.test(text[at + 1] ?? '')) at += 1
      start = at + 1
    }
  }
  if (quote !== '') return undefined
  end(text.length)
  return found
}

/** `>&` and `&>` redirect. */
function isOperator(text: string, at: number): boolean {
  const here = text[at] as string
  if (here === '&') return text[at - 1] !== '>' && text[at - 1] !== '<' && text[at + 1] !== '>'
  if (here === '|') return text[at - 1] !== '>'
  return here === ';' || here === '\n'
}

/** Where the bracket that opens here is closed; undefined: nowhere, for certain. */
function closing(text: string, open: number): number | undefined {
  let depth = 0
  let quote = ''
  for (let at = open; at < text.length; at += 1) {
    const here = text[at] as string
    if (quote === "'") {
      if (here === "'") quote = ''
    } else if (here === '\\') at += 1
    else if (here === '`') return undefined
    else if (here === '"') {
      // Brackets within quotes within brackets are left alone.
      const to = text.indexOf('"', at + 1)
      if (to < 0 || /[`$\\]/.test(text.slice(at, to))) return undefined
      at = to
    } else if (here === "'") quote = here
    else if (here === '(') depth += 1
    else if (here === ')') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return undefined
}
