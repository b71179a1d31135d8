import { type Running, startProgram } from '../support/examples/start-program.ts'

export { browserAt } from '../support/examples/start-program.ts'

/** Starts a program under `examples/guides`, as the guide says. It ends with the test. */
export function start(program: string, args: readonly string[] = [], env: Record<string, string> = {}): Running {
  return startProgram(`examples/guides/${program}`, args, env)
}
