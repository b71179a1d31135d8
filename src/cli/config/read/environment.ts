import { isPlainObject } from '../../../base/json.ts'
import { type Path, type Problem, pathText } from '../problems.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const ours = /\$\{env:([A-Za-z_]\w*)(?::-([^}]*))?\}/g
/** In the servers of other clients `${NAME}` and `${NAME:-default}` are variables too. */
const theirs = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g
const leftOver = /\$\{(env|input):[^}]*\}?/

/** Replaces `${env:NAME}` in every text inside `value`. No message quotes the value of a variable. */
export function filledIn(
  value: unknown,
  { path, env, problems, clients = false }: Filling & { readonly clients?: boolean },
): unknown {
  const inside = (key: string | number, one: unknown) => filledIn(one, { path: [...path, key], env, problems, clients })
  if (Array.isArray(value)) return value.map((one, index) => inside(index, one))
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inside(key, one)]))
  }
  if (typeof value !== 'string') return value

  const wrong = (words: string) => problems.push({ path, message: `${pathText(path)} ${words}` })
  const [, kind] = leftOver.exec(value.replace(ours, '')) ?? []
  if (kind === 'env') wrong(`has a variable without a name; write it as \${env:NAME}.`)
  if (kind === 'input' && clients)
    wrong(`has an \${input:…}, which only its own client can ask for; use \${env:NAME} instead.`)
  return value.replace(clients ? theirs : ours, (_, name: string, otherwise?: string) => {
    const held = env[name] ?? otherwise
    if (held === undefined)
      wrong(`needs the environment variable ${name}, which is not set; set it, or write \${env:${name}:-default}.`)
    return held ?? ''
  })
}

export interface Filling {
  readonly path: Path
  readonly env: Environment
  readonly problems: Problem[]
}
