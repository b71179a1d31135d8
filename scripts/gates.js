import { run } from './run.js'
import { StepFailed, step } from './step.js'

/** What must hold besides the tests, each an npm script. Cheap ones first; `package` looks at what `build` made. */
const gates = ['lint', 'doors', 'unused', 'typecheck', 'build', 'package']

/**
 * Goes through every gate, also after one that fails, so that one run tells all that is wrong.
 * @returns {Promise<string[]>} the names of those that failed
 */
export async function runGates() {
  const failed = []
  for (const gate of gates) {
    try {
      await step(gate, () => check(gate))
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error
      failed.push(gate)
    }
  }
  return failed
}

/** @param {string} gate */
async function check(gate) {
  const { ok, output } = await run('npm', ['run', '--silent', gate])
  if (!ok) throw new Error(`$ npm run ${gate}\n${output.trim()}`)
}
