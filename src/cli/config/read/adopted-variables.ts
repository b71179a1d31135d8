import { isPlainObject } from '../../../base/json.ts'
import { type Path, type Problem, pathText } from '../problems.ts'
import type { Environment } from './environment.ts'
import { Setting } from './setting.ts'

/** A variable of another program that gave settings their values. */
export interface Adopted {
  readonly variable: string
  /** As people write them, such as `clocks.track`. */
  readonly settings: readonly string[]
}

interface AdoptedVariable {
  readonly settings: readonly Path[]
  /** The value as the settings file would hold it. Undefined: a problem was recorded. */
  read(variable: Setting): unknown
}

/** The environment variables of the designs that people come from, and the settings which they are. */
export const adoptedVariables: Readonly<Record<string, AdoptedVariable>> = {
  ELICITATION_CALLBACK_URL: { settings: [['callbackUrl']], read: (variable) => variable.url()?.href },
  // There, one time is how long a request for access lives, how long the person has, and how long tracking waits.
  ELICITATION_TIMEOUT_SECONDS: {
    settings: [
      ['clocks', 'question'],
      ['clocks', 'browserFlow'],
      ['clocks', 'track'],
    ],
    read: seconds,
  },
  MCPGATEWAY_ELICITATION_ENABLED: { settings: [['elicitation', 'enabled']], read: flag },
  MCPGATEWAY_ELICITATION_TIMEOUT: { settings: [['clocks', 'upstreamAsk']], read: seconds },
  MCPGATEWAY_ELICITATION_MAX_CONCURRENT: {
    settings: [['limits', 'openPerRequester']],
    read: (variable) => variable.count(),
  },
}

/** The settings with the values of variables where the file says nothing. A variable that is not needed is not read. */
export function adoptVariables(
  written: Readonly<Record<string, unknown>>,
  env: Environment,
): { readonly value: Record<string, unknown>; readonly adopted: readonly Adopted[]; readonly problems: Problem[] } {
  const problems: Problem[] = []
  const adopted: Adopted[] = []
  let value: Record<string, unknown> = { ...written }
  for (const [name, { settings, read }] of Object.entries(adoptedVariables)) {
    const open = settings.filter((path) => canHold(value, path))
    // Files of variables often hold empty ones.
    if (open.length === 0 || (env[name] ?? '') === '') continue
    const held = read(new Setting(env[name], [name], { raw: env, problems }))
    if (held === undefined) continue
    value = open.reduce((all, path) => withValue(all, path, held), value)
    adopted.push({ variable: name, settings: open.map(pathText) })
  }
  return { value, adopted, problems }
}

/** Whether nothing is written at the path. A section that cannot hold settings is refused later, where it is read. */
function canHold(settings: Readonly<Record<string, unknown>>, [section, name]: Path): boolean {
  const inside = settings[section as string]
  if (name === undefined) return inside === undefined
  return (inside ?? undefined) === undefined || (isPlainObject(inside) && inside[name] === undefined)
}

function withValue(settings: Record<string, unknown>, [section, name]: Path, value: unknown): Record<string, unknown> {
  const inside = settings[section as string]
  return {
    ...settings,
    [section as string]: name === undefined ? value : { ...(isPlainObject(inside) && inside), [name]: value },
  }
}

const longestSeconds = 30 * 86_400

function seconds(variable: Setting): string | undefined {
  const count = /^\d{1,10}$/.test(String(variable.value)) ? Number(variable.value) : 0
  if (count >= 1 && count <= longestSeconds) return `${count}s`
  return variable.wrong(`write a whole number of seconds from 1 to ${longestSeconds}, or unset it`)
}

const flagWords = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

function flag(variable: Setting): boolean | undefined {
  const value = flagWords.get(String(variable.value).toLowerCase())
  return value ?? variable.wrong('write true or false, or unset it')
}
