import { beforeAll, expect, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { installOwnPackages, runOwnScript } from '../support/examples/own-packages.ts'
import { closing, startRecipe } from '../support/examples/recipes.ts'

const xmcp = 'examples/recipes/xmcp'
const gateway = 'examples/recipes/gateway.ts'

beforeAll(async () => {
  await installOwnPackages(xmcp)
  await runOwnScript(xmcp, 'build')
})

test.each([
  ['a server of SDK 1.x', ['--import', 'tsx', 'examples/recipes/sdk-1.ts']],
  ['a server of xmcp', [`${xmcp}/dist/stdio.js`]],
])('%s runs after a yes, and asks its own question through the gateway', async (_, args) => {
  const { url } = await startRecipe(gateway, [process.execPath, ...args])
  for (const how of [connect11, connect26]) {
    const client = await closing(how, url)
    client.answers(({ message, requestedSchema }) => {
      if (requestedSchema?.properties.choice === undefined) return { action: 'accept', content: { ticket: 'T-1' } }
      expect(message).toContain('production')
      return { action: 'accept', content: { choice: 'allow_once' } }
    })
    expect(await client.call('tools__deploy', { env: 'production' })).toMatchObject({
      text: expect.stringContaining('Deployed T-1 to production'),
      isError: false,
    })
    expect(client.asked.map(({ message }) => message)).toEqual([
      expect.stringContaining('deploy'),
      expect.stringContaining('Which change ticket?'),
    ])

    client.answers(() => ({ action: 'accept', content: { choice: 'deny' } }))
    expect(await client.call('tools__deploy', { env: 'production' })).toMatchObject({
      isError: true,
      outcome: { status: 'denied' },
    })
  }
})

test('the rule of the recipe lets a tool that reads run without a question', async () => {
  const { url } = await startRecipe(gateway, [process.execPath, '--import', 'tsx', 'examples/recipes/sdk-1.ts'])
  const client = await closing(connect26, url)
  expect((await client.call('tools__read_log')).text).toBe('All is well.')
  expect(client.asked).toEqual([])
})
