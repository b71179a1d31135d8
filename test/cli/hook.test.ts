import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createAssent } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { buildPackage } from '../support/build.ts'
import { startAssent } from '../support/cli/cli.ts'
import { freePort } from '../support/free-port.ts'
import { hookInput } from '../support/hooks/recorded.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const inInbox = { participant: localParticipant, groups: [], via: 'inbox' } as const
const rules = `
    - { tool: Read, decide: allow }
    - { tool: Write, decide: deny, reason: Not here. }`

async function settings({ more = '', hold = '1h' } = {}) {
  const folder = await temporaryFolder()
  const port = await freePort()
  const file = join(folder, 'assent.yaml')
  const text = `version: 1\nlisten: 127.0.0.1:${port}\nhooks: { hold: ${hold} }\n${more}policy:\n  rules:${rules}\n`
  await writeFile(file, text)
  return { folder, file, port, url: `http://127.0.0.1:${port}`, store: join(folder, '.assent', 'assent.db') }
}

/** Runs `assent hook …` as a coding agent does. */
async function hook(args: readonly string[], input: string, cwd?: string) {
  const { ASSENT_STORE: _, ...inherited } = process.env
  const env = { ...inherited, ASSENT_KEYS: '', XDG_STATE_HOME: join(await temporaryFolder(), 'state') }
  const child = spawn(process.execPath, [main, 'hook', ...args], { env, cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [gathered(child.stdout), gathered(child.stderr)]
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, out: await out, err: await err }
}

async function gathered(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

/** Another process that shares the store, in which a person answers. */
async function atInbox(store: string) {
  const assent = await createAssent({ store: `sqlite:${store}`, clocks: { tidy: 0 } })
  onTestFinished(() => assent.close())
  await expect.poll(() => assent.listOpen(inInbox, 10), { timeout: 20_000 }).toHaveLength(1)
  const [open] = await assent.listOpen(inInbox, 10)
  const id = (open as NonNullable<typeof open>).id
  return { assent, id, say: (choice: string) => assent.answer(id, inInbox, { action: 'accept', content: { choice } }) }
}

const calling = (tool_name: string) => hookInput('claude-code', 'PreToolUse', { tool_name })
const decisionIn = (text: string) => JSON.parse(text).hookSpecificOutput?.permissionDecision

describe('assent hook', () => {
  test('without a gateway decides by itself, and waits for a person in the store', async () => {
    const { file, store } = await settings()
    expect(decisionIn((await hook(['claude-code', '--config', file], calling('Read'))).out)).toBe('allow')
    expect(decisionIn((await hook(['claude-code', '--config', file], calling('Write'))).out)).toBe('deny')
    const asked = hook(['codex', '--config', file], hookInput('codex'))
    await (await atInbox(store)).say('allow_once')
    expect(await asked).toEqual({ code: 0, out: '{}\n', err: '' })
  })

  test('asks a gateway that runs, and decides by itself as soon as it does not', async () => {
    const { file, folder, port } = await settings()
    const token = 'a-token-of-forty-characters-for-the-test'
    const shared = `version: 1\nlisten: 127.0.0.1:${port}\nhooks: { token: ${token}, hold: 1ms }\n`
    await writeFile(file, `${shared}store: "memory:"\npolicy: { rules: [{ tool: Bash, decide: allow }] }\n`)
    const { child } = await startAssent(['--config', file], /Ctrl-C/)
    // Other rules than those of the gateway tell who has decided.
    const own = join(folder, 'own.yaml')
    await writeFile(own, `${shared}policy: { default: deny }\n`)
    expect(decisionIn((await hook(['claude-code', '--config', own], calling('Bash'))).out)).toBe('allow')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(decisionIn((await hook(['claude-code', '--config', own], calling('Bash'))).out)).toBe('deny')
  })

  test('believes no program that listens in place of the gateway', async () => {
    const { file, port } = await settings()
    const { child } = await startAssent(['--config', file], /Ctrl-C/)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const heard: string[] = []
    const impostor = createServer((request, response) => {
      heard.push(request.headers.authorization ?? '')
      response.setHeader('assent-hook-proof', 'x'.repeat(43))
      response.end('{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}')
    })
    onTestFinished(() => void impostor.close())
    await once(impostor.listen(Number(port), '127.0.0.1'), 'listening')
    expect(decisionIn((await hook(['claude-code', '--config', file], calling('Write'))).out)).toBe('deny')
    expect(heard).toEqual([expect.stringMatching(/^Assent-Hook \S{43}$/)])
  })

  test('reads no settings of the folder in which the agent works', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'assent.yaml'), 'version: 1\npolicy: { rules: [{ decide: allow }] }\n')
    await writeFile(join(folder, 'mine.yaml'), 'version: 1\nhooks: { hold: 1ms }\n')
    const told = await hook(['claude-code', '--config', join(folder, 'mine.yaml')], calling('Bash'), folder)
    expect(decisionIn(told.out)).toBe('ask')
  })

  test('a store or settings that cannot be used are a deny, and standard error says why', async () => {
    const { folder, file } = await settings()
    await writeFile(join(folder, 'broken.db'), 'this is no database, and it is long enough to be looked at')
    const broken = await hook(
      ['claude-code', '--config', file, '--store', `sqlite:${folder}/broken.db`],
      calling('Read'),
    )
    expect(decisionIn(broken.out)).toBe('deny')
    expect(broken).toMatchObject({ code: 0, err: expect.stringContaining('The store cannot be reached.') })
    const missing = await hook(['codex', '--config', join(folder, 'missing.yaml')], hookInput('codex'))
    expect(decisionIn(missing.out)).toBe('deny')
    expect(missing.err).toContain('missing.yaml')
  })

  test('input that cannot be read blocks the call, by the exit code that both clients know', async () => {
    const { file } = await settings()
    const unread = await hook(['codex', '--config', file], '{"hook_event_name": "PreToolUse"')
    expect(unread).toEqual({ code: 2, out: '', err: expect.stringContaining('one JSON object') })
    const other = await hook(['codex', '--config', file], hookInput('codex', 'PostToolUse' as never))
    expect(other).toEqual({ code: 1, out: '', err: expect.stringContaining('PreToolUse and PermissionRequest') })
  })
})

describe('POST /hooks/{client}', () => {
  async function aGateway(more?: Parameters<typeof settings>[0]) {
    const made = await settings(more)
    const { child } = await startAssent(['--config', made.file], /Ctrl-C/)
    const token = (await readFile(`${made.store}.hook-token`, 'utf8')).trim()
    const post = (path: string, body: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
      fetch(made.url + path, { method: 'POST', body, headers })
    return { ...made, child, token, post }
  }

  test('decides for whoever has the token, which only its owner can read', async () => {
    const { post, store } = await aGateway()
    expect((await stat(`${store}.hook-token`)).mode & 0o777).toBe(0o600)
    const allowed = await post('/hooks/claude-code', calling('Read'))
    expect(allowed.status).toBe(200)
    expect(decisionIn(await allowed.text())).toBe('allow')
    expect(decisionIn(await (await post('/hooks/codex', calling('Write'))).text())).toBe('deny')
  })

  test('tells nobody else anything, and asks nobody for them', async () => {
    const { post, url, token, store } = await aGateway()
    const bearer = { authorization: `Bearer ${token}` }
    const statuses = await Promise.all([
      post('/hooks/claude-code', calling('Bash'), {}),
      post('/hooks/claude-code', calling('Bash'), { authorization: `Bearer ${token}x` }),
      post('/hooks/claude-code', calling('Bash'), { authorization: 'Assent-Hook x', 'assent-hook-nonce': 'n' }),
      post('/hooks/claude-code', calling('Bash'), { ...bearer, 'x-forwarded-for': '203.0.113.9' }),
      post('/hooks/gemini', calling('Bash')),
      fetch(`${url}/hooks/claude-code`, { headers: bearer }),
      post('/hooks/claude-code', 'x'.repeat(5_000_000)),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401, 403, 404, 405, 413])
    const assent = await createAssent({ store: `sqlite:${store}`, clocks: { tidy: 0 } })
    onTestFinished(() => assent.close())
    expect(await assent.listOpen(inInbox, 10)).toEqual([])
  })

  test('what cannot be read is a deny with status 200: another one would leave the call to the client', async () => {
    const { post } = await aGateway()
    const reply = await post('/hooks/claude-code', '{')
    expect(reply.status).toBe(200)
    expect(decisionIn(await reply.text())).toBe('deny')
  })

  test('an agent cannot use the token to answer a question', async () => {
    const { post, url, store, token } = await aGateway()
    const held = post('/hooks/claude-code', calling('Bash'))
    const { id, say, assent } = await atInbox(store)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' }
    const yes = 'answer=accept&f_choice=allow_once&choice=allow_once'
    for (const path of [`/elicit/${id}/approve`, '/inbox/several', '/enroll', `/hooks/claude-code/${id}`]) {
      expect((await fetch(url + path, { method: 'POST', headers, body: yes })).ok).toBe(false)
    }
    expect((await fetch(`${url}/inbox`, { headers })).ok).toBe(false)
    const sly = JSON.stringify({ ...JSON.parse(calling('Write')), id, choice: 'allow_once', answer: 'accept' })
    await post('/hooks/claude-code', sly)
    expect((await assent.get(id))?.state.kind).toBe('open')
    await say('deny')
    expect(decisionIn(await (await held).text())).toBe('deny')
  })

  test('a gateway that stops lets no call run that it holds', async () => {
    const { post, store, child } = await aGateway()
    const held = post('/hooks/claude-code', calling('Bash'))
    await atInbox(store)
    child.kill('SIGTERM')
    expect(decisionIn(await (await held).text())).toBe('ask')
  })
})
