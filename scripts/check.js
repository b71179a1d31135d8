import { fileURLToPath } from 'node:url'
import { runGates } from './gates.js'

// `npm run check`: everything that must hold besides the tests. Needs no PostgreSQL, no Redis and no Chromium.
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const failed = await runGates()
if (failed.length > 0) {
  console.log(`Failed, see above: ${failed.join(', ')}`)
  process.exitCode = 1
}
