import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runGates } from './gates.js'
import { endRuns } from './run.js'
import { bringServers } from './servers.js'
import { StepFailed, step } from './step.js'
import { runTests } from './vitest.js'

const help = `
npm test                  everything: lint, import doors, unused code, build, types, package, tests, coverage
npm test -- test/stores   only these tests, with no build, no other check and no coverage limits;
                          all arguments go to vitest

The tests need a PostgreSQL, a Redis and a Chromium. What is not found is installed from Debian's packages, if this is
Debian and you are root. PostgreSQL and Redis are private ones, which end with the tests. To use others, set

  ASSENT_TEST_POSTGRES    url of a server where databases may be created
  ASSENT_TEST_REDIS       url of a Redis or Valkey server without other data
  ASSENT_TEST_CHROMIUM    path of the program
`

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
process.env.PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)

const wishes = process.argv.slice(2)
if (wishes.includes('--help')) console.log(help)
else process.exitCode = (await test(wishes)) ? 0 : 1

/**
 * A gate that fails does not stop the tests: one run tells all that is wrong.
 * @param {string[]} wishes
 */
async function test(wishes) {
  const isFull = wishes.length === 0
  // Installing takes longest and computes least, so the gates go on meanwhile.
  const bringing = step('servers', bringServers)
  bringing.catch(() => {})
  cleanUpOnSignals(bringing)
  try {
    const failedGates = isFull ? await runGates() : []
    const { env } = await bringing

    const tests = isFull
      ? await runTests(['--coverage.enabled'], { ...env, ASSENT_TEST_RUN: 'full' })
      : await runTests(wishes, env)
    // Tests can all pass where vitest does not: too little covered, or an error outside of every test.
    const failed = tests.ok ? failedGates : [...failedGates, 'vitest']
    if (failed.length > 0) console.log(`\nFailed, see above: ${failed.join(', ')}`)
    console.log(`\n${tests.count}`)
    return failed.length === 0
  } catch (error) {
    if (error instanceof StepFailed) return false
    throw error
  } finally {
    await stop(bringing)
  }
}

/** @param {ReturnType<typeof bringServers>} bringing */
async function stop(bringing) {
  const servers = await bringing.catch(() => undefined)
  await servers?.stop()
}

/** @param {ReturnType<typeof bringServers>} bringing */
function cleanUpOnSignals(bringing) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, async () => {
      endRuns()
      await stop(bringing)
      process.exit(128 + constants.signals[signal])
    })
  }
}
