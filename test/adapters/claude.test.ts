import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type FakeModel, startModel } from '../../scripts/clients/model/model.ts'
import { claudeOptions, createToolGate, type ToolGate } from '../../src/adapters/index.ts'
import type { Assent } from '../../src/index.ts'
import { personOf } from '../support/adapters/gates.ts'
import { audited } from '../support/approval/approving.ts'
import { anAssent } from '../support/assents.ts'
import { installOwnPackages } from '../support/examples/own-packages.ts'
import { temporaryFolder } from '../support/temporary.ts'

let model: FakeModel
beforeAll(async () => {
  await installOwnPackages('examples/agents')
  model = await startModel()
})
afterAll(() => model.close())

type Step = readonly [tool: string, given: Record<string, unknown>]

/** Lets the recipe call these tools, one after the other, and gives back what its model read of each. */
async function work(assent: Assent, steps: readonly Step[], options: object = {}): Promise<string[]> {
  const recipe = await import(new URL('../../examples/agents/claude.ts', import.meta.url).href)
  const read: string[] = []
  async function* script() {
    for (const [tool, given] of steps) read.push(yield { tool, arguments: given })
    return 'That is all.'
  }
  const { prompt } = model.play(script())
  const home = await temporaryFolder()
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-fake',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const said = await recipe.work(assent, prompt, { cwd: home, env, abortController: gone, ...options })
  expect(said).toBe('That is all.')
  return read
}

const aFile = async () => join(await temporaryFolder(), 'notes.txt')
const writing = (file: string): Step => ['Write', { file_path: file, content: 'hello' }]

describe('the Claude Agent SDK, with its own program', () => {
  test('runs a tool after the yes, once, and its end is audited', async () => {
    const assent = await anAssent()
    const file = await aFile()
    const working = work(assent, [writing(file)])
    expect((await personOf(assent).sees()).question.message).toContain('Write')
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    await personOf(assent).says({ choice: 'allow_once' })
    await working
    expect(await readFile(file, 'utf8')).toBe('hello')
    expect(await audited(assent, 'call-finished')).toMatchObject([{ data: { tool: 'Write', outcome: 'done' } }])
  })

  test('never runs a tool after a no, and its model is told', async () => {
    const assent = await anAssent()
    const file = await aFile()
    const working = work(assent, [writing(file)])
    await personOf(assent).says({ choice: 'deny' })
    expect(await working).toEqual([expect.stringContaining('Do not try again')])
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    expect(await audited(assent, 'call-started')).toEqual([])
  })

  test('a tool that fails has that in the audit', async () => {
    const assent = await anAssent({ policy: { default: 'allow' } })
    await work(assent, [['Bash', { command: 'exit 3', description: 'Fails' }]])
    expect(await audited(assent, 'call-finished')).toMatchObject([{ data: { tool: 'Bash', outcome: 'failed' } }])
  })

  test('a form that an MCP server asks for is answered in the inbox', async () => {
    const assent = await anAssent({ policy: { default: 'allow' } })
    const args = ['--import', import.meta.resolve('tsx'), resolve('examples/recipes/sdk-1.ts')]
    const mcpServers = { deploys: { command: process.execPath, args } }
    const working = work(assent, [['mcp__deploys__deploy', { env: 'staging' }]], { mcpServers })
    const { question } = await personOf(assent).says({ ticket: 'T-1' })
    expect(question.message).toBe('[deploys] Which change ticket?')
    expect(await working).toEqual([expect.stringContaining('Deployed T-1 to staging')])
    expect(await audited(assent, 'call-started')).toMatchObject([{ data: { tool: 'mcp__deploys__deploy' } }])
  })
})

describe('its functions, called as it calls them', () => {
  const options = () => ({ signal: new AbortController().signal, toolUseID: 'toolu_1' })

  test('deny what is pending, with its link, and let the same call run once after the yes', async () => {
    const assent = await anAssent({ policy: { rules: [{ tool: 'Write', decide: 'deny' }], default: 'ask' } })
    const { canUseTool } = claudeOptions(createToolGate(assent, { server: 'claude', hold: 0 }))
    expect(await canUseTool('Write', {}, options())).toMatchObject({ behavior: 'deny' })
    const pending = await canUseTool('Bash', { command: 'ls' }, options())
    const { id } = await personOf(assent).says({ choice: 'allow_once' })
    expect(pending).toEqual({ behavior: 'deny', message: expect.stringContaining(assent.linkTo(id, 'approve')) })
    const allowed = { behavior: 'allow', updatedInput: { command: 'ls' } }
    expect(await canUseTool('Bash', { command: 'ls' }, options())).toEqual(allowed)
    expect(await canUseTool('Bash', { command: 'ls' }, options())).toMatchObject({ behavior: 'deny' })
  })

  test('let run what the person edited, where a rule lets them', async () => {
    const gate: ToolGate = {
      ...createToolGate(await anAssent(), { server: 'claude' }),
      decide: async () => ({ kind: 'allow', arguments: { command: 'ls' }, changes: [], ended: async () => {} }),
    }
    const permission = await claudeOptions(gate).canUseTool('Bash', { command: 'rm' }, options())
    expect(permission).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } })
  })

  test('send the person to the page of a server', async () => {
    const assent = await anAssent()
    const { onElicitation } = claudeOptions(createToolGate(assent, { server: 'claude' }))
    const request = { serverName: 'deploys', message: 'Log in', mode: 'url', url: 'https://example.com/login' }
    const asking = onElicitation(request, options())
    const { question, metadata } = await personOf(assent).says({ action: 'accept' })
    expect(question.message).toBe('[deploys] Log in\nhttps://example.com/login')
    expect(metadata).toMatchObject({ link: 'https://example.com/login' })
    expect(await asking).toEqual({ action: 'accept' })
  })
})
