import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../support/build.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { until } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

/** Runs this in the process of `assent` before anything else. */
async function planted(code: string): Promise<Record<string, string>> {
  const file = join(await temporaryFolder(), 'planted.mjs')
  await writeFile(file, code)
  return { NODE_OPTIONS: `--import ${pathToFileURL(file)}`, ASSENT_LOG: 'info' }
}

const onSignal = `process.on('SIGUSR2', () => void Promise.reject(new Error('planted rejection')))`
const healthIn = (said: string) => /health +(\S+)/.exec(said)?.[1] ?? ''

test('a promise that nobody waited for is logged, and the gateway goes on', async () => {
  const { child, said } = await startAssent(['--store', 'memory:', '--port', '0'], /Ctrl-C/, {
    env: await planted(onSignal),
  })
  for (let count = 1; count <= 3; count += 1) {
    child.kill('SIGUSR2')
    await until(() => said().split('a promise was rejected and nobody waited for it').length === count + 1)
  }
  expect(said()).toContain('planted rejection')
  expect((await fetch(healthIn(said()))).status).toBe(200)
  expect(await ended(child, 'SIGTERM')).toBe(0)
})

test('a gateway in which one follows the other ends, so that its supervisor starts it again', async () => {
  const burst = `process.on('SIGUSR2', () => { for (let n = 0; n < 20; n++) void Promise.reject(new Error('planted ' + n)) })`
  const { child, said } = await startAssent(['--store', 'memory:', '--port', '0'], /Ctrl-C/, {
    env: await planted(burst),
  })
  const gone = once(child, 'exit')
  child.kill('SIGUSR2')
  expect(await gone).toEqual([70, null])
  expect(said()).toContain('Assent failed, which is a bug: Error: planted 10')
})

test('a command that was run for one thing ends with the code of a bug', async () => {
  const env = await planted(`process.on('newListener', (name) => {
    if (name === 'unhandledRejection') setImmediate(() => void Promise.reject(new Error('planted rejection')))
  })`)
  const { code, err } = await assent(['audit', 'verify', '--store', 'memory:'], env)
  expect(err).toContain('Assent failed, which is a bug: Error: planted rejection')
  expect(code).toBe(70)
})
