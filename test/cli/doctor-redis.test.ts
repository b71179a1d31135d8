import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { testKeys } from '../support/assents.ts'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { privateRedis, redisDo } from '../support/stores/redis.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

test('assent doctor says what a Redis server would lose, and Assent warns of one without a log', async () => {
  const server = await privateRedis()
  onTestFinished(server.stop)
  const file = join(await temporaryFolder(), 'assent.yaml')
  await writeFile(file, `version: 1\nlisten: 127.0.0.1:0\nstore: "${server.url}"\n`)
  const doctor = () => assent(['--config', file, 'doctor'], { ASSENT_KEYS: testKeys })
  const set = (name: string, value: string) =>
    redisDo(server.url, (client) => client.sendCommand(['CONFIG', 'SET', name, value]))

  await set('appendfsync', 'always')
  const safe = await doctor()
  expect(safe).toMatchObject({ code: 0, out: expect.stringContaining('✓ store log: Redis keeps what it confirms.') })
  expect(safe.err).not.toContain('appendonly')

  await set('appendfsync', 'everysec')
  expect((await doctor()).out).toMatch(/! store log: .*a power cut loses.*Set appendfsync always/)

  await set('appendonly', 'no')
  const without = await doctor()
  expect(without.out).toMatch(/! store log: .*Set appendonly yes/)
  expect(without.err).toContain('Set appendonly yes')
  expect(without.out + without.err).not.toContain(new URL(server.url).password)

  await set('maxmemory-policy', 'allkeys-lru')
  const evicting = await doctor()
  expect(evicting).toMatchObject({ code: 1, out: expect.stringMatching(/✗ store: .*Set maxmemory-policy noeviction/) })
})
