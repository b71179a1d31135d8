import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { personOf } from '../support/adapters/gates.ts'
import { anAssent } from '../support/assents.ts'
import { installOwnPackages } from '../support/examples/own-packages.ts'
import { startRecipe } from '../support/examples/recipes.ts'
import { pathIn } from '../support/test-browser.ts'

beforeAll(() => installOwnPackages('examples/agents'))

const recipe = (name: string) => import(new URL(`../../examples/agents/${name}.ts`, import.meta.url).href)

test('tools of @ai-sdk/mcp wait for a yes, and what their server asks, a form and a page, is answered in the inbox', async () => {
  const { url, person: visitor } = await startRecipe('examples/recipes/node.ts')
  const assent = await anAssent()
  const person = personOf(assent)
  const { client, tools } = await (await recipe('ai-sdk-mcp')).connect(assent, url)
  onTestFinished(() => client.close())
  const running = tools.deploy.execute({ env: 'staging' }, { toolCallId: 'call-1', messages: [] })
  expect((await person.says({ choice: 'allow_once' })).question.message).toContain('deploy')
  expect((await person.says({ ticket: 'T-1' })).question.message).toBe('[tickets] Which change ticket?')

  const { metadata } = await person.sees()
  const page = pathIn(String(metadata?.link))
  await visitor.get(page)
  expect((await visitor.post(page, { answer: 'accept', 'field.apiKey': 'planted-key-7788' })).status).toBe(303)
  await person.says({ action: 'accept' })
  expect(JSON.stringify(await running)).toContain('Deployed T-1 to staging with …7788')
})

test('tools of LangChain behind the gateway run after a yes in its inbox, and not after a no', async () => {
  const server = [process.execPath, '--import', 'tsx', 'test/support/examples/programs/deploys.ts']
  const { url, person } = await startRecipe('examples/recipes/gateway.ts', server)
  const { client, tools } = await (await recipe('langchain')).connect(url.href)
  onTestFinished(() => client.close())
  const deploy = tools.find(({ name }: { name: string }) => name === 'tools__deploy')
  for (const [choice, said] of [
    ['allow_once', 'Deployed to staging'],
    ['deny', 'Do not try again'],
  ] as const) {
    const calling = deploy.invoke({ env: 'staging' }).catch(String)
    await expect.poll(async () => (await person.get('/inbox')).text).toMatch(/\/elicit\/[\w-]+\/approve/)
    const [path = ''] = /\/elicit\/[\w-]+\/approve/.exec((await person.get('/inbox')).text) ?? []
    await person.get(path)
    await person.post(path, { answer: choice === 'deny' ? 'decline' : 'accept', 'field.choice': choice })
    expect(JSON.stringify(await calling)).toContain(said)
  }
})
