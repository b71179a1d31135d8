import type { JsonObject } from '../../base/json.ts'
import { plainCommands, spellingsOf } from './plain-commands.ts'

/** Arguments beside the command that say where, how long and why it runs, and nothing else. */
const besides = new Set(
  (
    'command $cwd cwd description explanation justification max_output_tokens run_in_background timeout timeoutMs ' +
    'timeout_ms title workdir workingDirectory working_directory yield_time_ms'
  ).split(' '),
)

/** Whether a pattern names a command. */
type IsNamed = (command: string) => boolean

/** Whether all that a call would run is named for certain. Any other argument may change what that is. */
export function runsOnly({ command, ...others }: JsonObject, isNamed: IsNamed): boolean {
  const commands = typeof command === 'string' ? plainCommands(command) : undefined
  return commands?.every(isNamed) === true && !Object.entries(others).some(([name, value]) => mayChange(name, value))
}

/** Whether a call would run something that is named, however it is written; `failed`: nobody can tell. */
export function mayRun(given: JsonObject, isNamed: IsNamed): boolean | 'failed' {
  const { command, ...others } = given
  if (!Object.hasOwn(given, 'command')) return false
  const commands = typeof command === 'string' ? plainCommands(command) : undefined
  if (commands?.some((one) => spellingsOf(one).some(isNamed))) return true
  const holdsMore = Object.entries(others).some(([name, value]) => mayChange(name, value) && typeof value !== 'boolean')
  return commands === undefined || holdsMore ? 'failed' : false
}

/** No number, and nothing that is off, turns a command into another one. */
function mayChange(name: string, value: unknown): boolean {
  return !besides.has(name) && typeof value !== 'number' && value !== false && value !== null
}
