import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { joinSpace } from 'assent/hub'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildPackage } from '../support/build.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const program = new URL('../support/upstream/programs/new-stdio.js', import.meta.url).pathname

/** A running gateway with a space, and how to run commands beside it. */
async function aSpace() {
  const file = join(await temporaryFolder(), 'assent.json')
  const participants = {
    'user-1': { kind: 'human', participant: 'local' },
    'agent-a': { kind: 'agent', token: 'a-secret-of-agent-a', for: 'user-1', may: ['*'] },
    'agent-b': { kind: 'agent', token: 'a-secret-of-agent-b', asks: 'itself' },
  }
  const hub = { spaces: { ops: { participants } } }
  await writeFile(file, JSON.stringify({ version: 1, listen: '127.0.0.1:0', hub, policy: { default: 'ask' } }))
  const { said, child } = await startAssent(['gateway', '--config', file], /Ctrl-C/)
  const port = /http:\/\/[\w.]+:(\d+)\/enroll/.exec(said())?.[1]
  return {
    child,
    url: `ws://127.0.0.1:${port}/hub/ops`,
    run: (...args: string[]) => assent(['--config', file, 'hub', ...args]),
  }
}

async function join_(url: string, by: { token: string } | { ticket: string }) {
  const space = await joinSpace({ url, ...by })
  onTestFinished(() => space.close())
  return space
}

describe('assent hub', () => {
  test('shows what a running space holds: who may join, what waits, and what was said', async () => {
    const { url, run } = await aSpace()
    expect((await run('status')).out).toMatch(/SPACE +PARTICIPANTS +OPEN REQUESTS +WAIT FOR A PERSON\nops +3 +0 +0\n$/)
    const a = await join_(url, { token: 'a-secret-of-agent-a' })
    a.notify('notifications/note', { text: 'hello' })
    const called = a.call('agent-b', 'anything')
    called.catch(() => {})
    await expect.poll(async () => (await run('status')).out).toMatch(/\nops +3 +1 +0\n$/)
    const b = await join_(url, { token: 'a-secret-of-agent-b' })
    await expect(called).rejects.toThrow('agent-b does not answer tools/call.')

    const { out } = await run('tail', 'ops')
    const said = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).payload)
    expect(said).toMatchObject([{ params: { text: 'hello' } }, { method: 'tools/call' }, { error: {} }])
    expect((await run('tail', 'ops', '--limit', '1')).out.trim().split('\n')).toHaveLength(1)
    await b.close()
    await expect
      .poll(async () => (await run('participants', 'ops')).out)
      .toMatch(
        /^ID +KIND +FOR +.*\nuser-1 +human +no\nagent-a +agent +user-1 +hub +\w+\nagent-b +agent +itself +yes\n$/,
      )
  })

  test('makes a ticket that lets in once, beside the hub that runs', async () => {
    const { url, run } = await aSpace()
    const { out, code } = await run('ticket', 'ops', 'user-1')
    expect(code).toBe(0)
    const ticket = out.trim()
    expect((await join_(url, { ticket })).id).toBe('user-1')
    await expect(joinSpace({ url, ticket })).rejects.toThrow('This ticket was used')
  })

  test('says what is wrong, and what to do', async () => {
    const { run, child } = await aSpace()
    await ended(child, 'SIGINT')
    for (const args of [
      ['participants', 'lab'],
      ['tail', 'lab'],
      ['ticket', 'lab', 'x'],
    ]) {
      const { code, err } = await run(...args)
      expect([code, err]).toEqual([2, expect.stringContaining('`assent hub status` lists them')])
    }
    expect((await run('ticket', 'ops', 'nobody')).err).toContain('There is no participant "nobody" in ops.')
    expect(
      (await run('bridge', '--url', 'ws://127.0.0.1:1/hub/ops', '--token-env', 'NO_SUCH', '--', 'x')).err,
    ).toContain('Set NO_SUCH to the token of the agent.')
    const without = join(await temporaryFolder(), 'assent.json')
    await writeFile(without, JSON.stringify({ version: 1 }))
    expect((await assent(['--config', without, 'hub', 'status'])).out).toContain('The settings name no space.')
  })

  test('bridges an MCP server into a space, and says when the space ends that', async () => {
    const { url } = await aSpace()
    const env = { TOKEN_OF_B: 'a-secret-of-agent-b', KEY_OF_SERVER: 'a-key' }
    const sees = 'console.error("It sees", process.env.KEY_OF_SERVER, process.env.TOKEN_OF_B)'
    const args = [
      'hub',
      'bridge',
      '--url',
      url,
      '--token-env',
      'TOKEN_OF_B',
      '--',
      process.execPath,
      '--import',
      'tsx',
      '-e',
      `${sees}; import(${JSON.stringify(program)})`,
    ]
    const { child, said } = await startAssent(args, /is in the space/, { env })
    expect(said()).toContain('agent-b is in the space. Its tools: ')
    expect(said()).toContain('It sees a-key undefined')
    const a = await join_(url, { token: 'a-secret-of-agent-a' })
    const tools = await a.tools()
    expect(tools.every(({ agent }) => agent === 'agent-b')).toBe(true)
    expect(tools.map(({ name }) => name).join(', ')).toBe(/Its tools: (.*)\n/.exec(said())?.[1])
    await join_(url, { token: 'a-secret-of-agent-b' })
    await expect.poll(said).toContain('The space ended the connection: You joined again from elsewhere.')
    await expect.poll(() => child.exitCode).toBe(0)
  })
})
