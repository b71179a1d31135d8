import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PolicySettings } from '../../src/approval/policy/policy-settings.ts'
import { type Assent, createAssent } from '../../src/index.ts'
import { aLocalCall, askedAbout } from '../support/approval/local-call.ts'
import { buildPackage } from '../support/build.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { assentInTerminal } from '../support/cli/terminal.ts'
import { newServer } from '../support/gateway/gateways.ts'
import { say } from '../support/server/servers.ts'
import { spoilLarge } from '../support/stores/spoil-sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const rules = `
  rules:
    - { server: files, tool: "read_*", decide: allow }
    - { server: files, tool: delete, when: "args.path.startsWith('/etc')", decide: deny }
    - { server: files, tool: "write_*", decide: ask, editable: [path] }
`

interface Installation {
  readonly file: string
  run(...args: string[]): ReturnType<typeof assent>
  /** Another process at the same store. */
  open(): Promise<Assent>
}

async function anInstallation(settings = `version: 1\npolicy:${rules}`): Promise<Installation> {
  const folder = await temporaryFolder()
  const file = join(folder, 'assent.yaml')
  await writeFile(file, settings)
  await mkdir(join(folder, '.assent'))
  return {
    file,
    run: (...args) => assent(['--config', file, ...args]),
    async open() {
      const policy: PolicySettings = { rules: [{ tool: 'write_*', decide: 'ask', editable: ['path'] }] }
      const opened = await createAssent({ store: `sqlite:${folder}/.assent/assent.db`, keys: '', policy })
      onTestFinished(() => opened.close())
      return opened
    },
  }
}

describe('assent inbox', () => {
  test('lists for scripts, and answers nothing without a terminal', async () => {
    const { run, open } = await anInstallation()
    const other = await open()
    const { id } = await askedAbout(other)
    const [listed] = JSON.parse((await run('inbox', '--json')).out)
    expect(listed).toMatchObject({
      id,
      purpose: 'approval',
      server: 'files',
      tool: 'write_file',
      arguments: { path: '/tmp/notes.txt', content: 'hello' },
      editable: ['path'],
      link: `http://127.0.0.1:4180/elicit/${id}/approve`,
    })
    expect(listed.choices).toContain('allow_once')
    const { out } = await run('inbox')
    expect(out).toContain('path: /tmp/notes.txt')
    expect(out).toContain('To answer, run this in a terminal.')

    const refused = { code: 2, err: expect.stringContaining('Answering needs a terminal') }
    expect(await run('inbox', 'allow', id)).toMatchObject(refused)
    expect(await run('inbox', 'deny', id)).toMatchObject(refused)
    expect((await other.get(id))?.state.kind).toBe('open')
  })

  test('takes a question back, once, without saying yes or no', async () => {
    const { run, open } = await anInstallation()
    const other = await open()
    const { id } = await askedAbout(other)
    expect(await run('inbox', 'withdraw', id.slice(0, 6))).toMatchObject({ code: 0 })
    expect((await other.get(id))?.state.kind).toBe('withdrawn')
    expect(await run('inbox', 'withdraw', id)).toMatchObject({ code: 1 })
  })

  test('at a terminal, allows and denies by how an id begins', async () => {
    const { file, open } = await anInstallation()
    const other = await open()
    const first = await askedAbout(other)
    const allow = assentInTerminal([
      '--config',
      file,
      'inbox',
      'allow',
      first.id.slice(0, 8),
      '--always',
      '--for',
      'day',
    ])
    await allow.see(
      'Your answer is saved: Allow write_file for a day, for any program on this machine that calls itself claude-code.',
    )
    expect(await allow.ended()).toBe(0)
    expect(await other.approvals.listAll(10)).toMatchObject([{ effect: 'allow', tool: 'write_file' }])
    expect((await other.get(first.id))?.state).toMatchObject({ by: { via: 'terminal' } })

    const second = await askedAbout(other, aLocalCall({ tool: 'write_more' }), 'walk-2')
    const deny = assentInTerminal(['--config', file, 'inbox', 'deny', second.id, '--reason', 'not today'])
    await deny.see('Your answer is saved: Deny.')
    expect(await deny.ended()).toBe(0)
    expect((await other.get(second.id))?.state).toMatchObject({ answer: { content: { reason: 'not today' } } })

    const again = assentInTerminal(['--config', file, 'inbox', 'deny', second.id])
    await again.see('No open question has this id.')
    expect(await again.ended()).toBe(1)
  })

  test('at a terminal, denies several by how their ids begin, once they are confirmed; an unknown id is named', async () => {
    const { file, open } = await anInstallation()
    const other = await open()
    const first = await askedAbout(other)
    const second = await askedAbout(other, aLocalCall({ tool: 'write_more' }), 'walk-2')
    const ids = [first.id.slice(0, 8), second.id.slice(0, 8), 'zzzz']
    const deny = assentInTerminal(['--config', file, 'inbox', 'deny', ...ids, '--reason', 'not today'])
    await deny.see('zzzz: No open question has this id.')
    await deny.see('1 of 2  Run write_file on files?')
    await deny.see('2 of 2  Run write_more on files?')
    await deny.see('Deny these 2 calls? Type yes ›')
    deny.type('yes\r')
    await deny.see('Your answer is saved: Deny.')
    await deny.see('Your answer is saved: Deny.')
    expect(await deny.ended()).toBe(1)
    for (const { id } of [first, second]) {
      expect((await other.get(id))?.state).toMatchObject({ answer: { content: { reason: 'not today' } } })
    }
  })

  test('at a terminal, asks what to do with each', async () => {
    const { file, open } = await anInstallation()
    const other = await open()
    const { id } = await askedAbout(other)
    const terminal = assentInTerminal(['--config', file, 'inbox'])
    await terminal.see('Run write_file on files?')
    await terminal.see('› ')
    terminal.type('a\r')
    await terminal.see('Your answer is saved: Allow once, with these arguments.')
    await terminal.see('No question waits for you.')
    expect(await terminal.ended()).toBe(0)
    expect((await other.get(id))?.state.kind).toBe('answered')
  })

  test('where people sign in it sends them to the page; with memory: it says that it sees nothing', async () => {
    const { run } = await anInstallation(
      'version: 1\nauth: { issuer: "https://login.example.com", audience: a, clientId: c }\n',
    )
    expect(await run('inbox')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Answer at http://127.0.0.1:4180/inbox'),
    })
    expect(await run('--store', 'memory:', 'grants')).toMatchObject({ code: 0 })
    expect(await assent(['--store', 'memory:', 'inbox'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('memory:'),
    })
  })

  test('says in its help why it wants a terminal', async () => {
    const { out } = await assent(['inbox', '--help'])
    expect(out).toContain('Answering needs a terminal')
    expect(out).toContain('assent inbox --watch')
  })
})

describe('assent grants', () => {
  test('lists sentences, revokes one, and shows what is over with --all', async () => {
    const { run, open } = await anInstallation()
    const other = await open()
    const { id } = await askedAbout(other)
    const content = { choice: 'always_allow/tool/revoked/this', edit_path: '/tmp/notes.txt' }
    await other.answer(id, { participant: 'local' as never, groups: [], via: 'page' }, { action: 'accept', content })
    const sentence =
      'Allows any program on this machine that calls itself claude-code to run write_file on files, until it is revoked.'
    expect((await run('grants')).out).toBe(`grant-${id}\n  ${sentence}\n`)
    expect(JSON.parse((await run('grants', 'list', '--json')).out)).toMatchObject([{ id: `grant-${id}`, sentence }])
    expect((await run('grants', '--participant', 'x@https://y')).out).toContain('Nothing is')

    expect(await run('grants', 'revoke', `grant-${id}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Revoked on'),
    })
    expect((await run('grants')).out).toBe('Nothing is lastingly allowed or denied.\n')
    expect((await run('grants', '--all')).out).toContain('Revoked on')
    expect(await run('grants', 'revoke', 'grant-none')).toMatchObject({ code: 1 })
  })
})

describe('assent pause', () => {
  test('denies everything at once in other processes too, until resume; it is no grant', async () => {
    const { run, open } = await anInstallation()
    const other = await open()
    const call = aLocalCall()
    expect(await run('pause')).toMatchObject({ code: 0, out: expect.stringContaining('Paused') })
    expect(await other.approvals.approve({ call, walkId: 'w' })).toMatchObject({ kind: 'refused', reason: 'paused' })
    expect((await run('pause')).out).toContain('already')
    expect((await run('grants', '--all')).out).toContain('Nothing is')
    expect(await run('grants', 'revoke', 'pause')).toMatchObject({ code: 1 })
    expect(await run('policy', 'test', 'files', 'read_file')).toMatchObject({
      code: 1,
      out: expect.stringContaining('Assent is paused.'),
    })
    expect((await run('resume')).out).toContain('decide again')
    expect((await run('resume')).out).toContain('Assent was not paused')
    expect(await other.approvals.approve({ call, walkId: 'w' })).toMatchObject({ kind: 'question' })
  })
})

describe('assent policy', () => {
  test('test says what a call would meet, rule by rule, and exits by it', async () => {
    const { run } = await anInstallation()
    const { code, out } = await run('policy', 'test', 'files', 'delete', '{"path": "/etc/passwd"}')
    expect(code).toBe(1)
    expect(out).toContain('delete on files: deny')
    expect(out).toContain('  rule 1 (allow): Does not match: the tool is delete, not read_*.')
    expect(out).toContain('→ rule 2 (deny): Matches, and decides.')
    expect(await run('policy', 'test', 'files', 'read_file')).toMatchObject({ code: 0 })
    expect(await run('policy', 'test', 'files', 'write_x')).toMatchObject({
      code: 1,
      out: expect.stringContaining('editable   path'),
    })
    expect(await run('policy', 'test', 'files', 'write_x', '--expect', 'ask')).toMatchObject({ code: 0 })
    expect(await run('policy', 'test', 'files', 'read_x', '--expect', 'deny')).toMatchObject({ code: 1 })
    expect(await run('policy', 'test', 'files', 'read_x', '[]')).toMatchObject({ code: 2 })
    // A condition that cannot be judged is never an allow.
    expect(JSON.parse((await run('policy', 'test', 'files', 'delete', '--json')).out)).toMatchObject({
      effect: 'deny',
      decision: { why: { rule: 2, failed: true } },
    })
  })

  test('test takes who asks, their groups and client, and what a trusted server says', async () => {
    const { run } = await anInstallation(`version: 1
auth: { issuer: "https://login.example.com", audience: a, clientId: c }
servers: { good: { command: x, trusted: true }, other: { command: x } }
policy:
  default: deny
  rules:
    - { requester: ["group:staff"], decide: allow }
    - { requester: ["client:ci"], decide: allow }
    - { requester: ["bob@https://login.example.com"], decide: allow }
    - { annotations: { readOnlyHint: true }, decide: allow }
`)
    const code = async (...args: string[]) => (await run('policy', 'test', ...args)).code
    const reading = ['--annotations', '{"readOnlyHint": true}']
    expect(await code('other', 'x')).toBe(1)
    expect(await code('other', 'x', '--group', 'a', '--group', 'staff')).toBe(0)
    expect(await code('other', 'x', '--client', 'ci')).toBe(0)
    expect(await code('other', 'x', '--as', 'bob@https://login.example.com')).toBe(0)
    expect(await code('other', 'x', ...reading)).toBe(1)
    expect(await code('other', 'x', ...reading, '--trusted')).toBe(0)
    expect(await code('good', 'x', ...reading)).toBe(0)
  })

  test('test tells of the grants that would matter', async () => {
    const { run, open } = await anInstallation()
    const other = await open()
    const { id } = await askedAbout(other)
    const content = { choice: 'always_allow/tool/revoked/this', edit_path: '/tmp/notes.txt' }
    await other.answer(id, { participant: 'local' as never, groups: [], via: 'page' }, { action: 'accept', content })
    const tested = await run('policy', 'test', 'files', 'write_file', '--client', 'claude-code')
    expect(tested).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        'Allows any program on this machine that calls itself claude-code to run write_file',
      ),
    })
    expect(await run('policy', 'test', 'files', 'write_file', '--client', 'another')).toMatchObject({ code: 1 })
  })

  test('shows the whole policy with the origin of every rule, and a pack by itself', async () => {
    const { file, run } = await anInstallation(`version: 1
policy:
  default: deny
  extends: [{ pack: git, server: repo }]
  rules:
    - { tool: git_push, decide: allow }
`)
    const { out } = await run('policy', 'show')
    expect(out).toContain(`1. allow  (${file}:6)\n   tool: git_push\n`)
    expect(out).toMatch(
      /\n2\. deny {2}\(pack git\)\n {3}server: repo\n(.+\n)+? {3}reason: A forced push rewrites history/,
    )
    expect(out).toContain(`default: deny  (${file}:3)\nfallback: inbox  (default)\nmode: enforce  (default)\n`)

    const { rules } = JSON.parse((await run('policy', 'show', '--pack', 'git', '--json')).out)
    expect(rules[0]).toMatchObject({ number: 1, origin: 'pack git', rule: { decide: 'deny' } })
    expect(rules[0].rule.server).toBeUndefined()
    expect(await run('policy', 'show', '--pack', 'gti')).toMatchObject({
      code: 2,
      err: 'There is no pack "gti". There are files, git, database, mail, payments, shell.\n',
    })
    const wrong = await anInstallation('version: 1\npolicy: { extends: [gti] }\n')
    expect(await wrong.run('policy', 'show')).toMatchObject({
      code: 2,
      err: expect.stringContaining('assent.yaml:2: policy.extends[0]: There is no pack "gti".'),
    })
  })

  test('check finds what is wrong with its line, also a setting that nothing reads, and a gate that nobody could open', async () => {
    expect(await (await anInstallation()).run('policy', 'check')).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 rules'),
    })
    const wrong = async (policy: string, words: string) => {
      const { run } = await anInstallation(`version: 1\npolicy:\n${policy}\n`)
      expect(await run('policy', 'check')).toMatchObject({ code: 2, err: expect.stringContaining(words) })
    }
    await wrong('  ruels: []', 'assent.yaml:3: policy.ruels')
    await wrong('  rules:\n    - { decide: ask, when: "args." }', 'assent.yaml:4: policy.rules[0].when')
    await wrong(
      '  rules:\n    - { decide: ask, approvers: ["group:admins"] }',
      'assent.yaml:4: policy.rules[0].approvers names nobody who could answer',
    )
  })
})

describe('assent doctor', () => {
  test('says how things stand, with warnings that fail nothing', async () => {
    const { run } = await anInstallation('version: 1\nlisten: 127.0.0.1:9\n')
    const ran = await run('doctor')
    expect(ran).toMatchObject({ code: 0 })
    for (const line of [
      '✓ settings',
      '✓ approvers',
      '✓ store',
      '✓ keys',
      '! settings: Browsers and most MCP clients refuse port 9',
      '! inbox: No browser',
      '✓ audit',
      '! pages: Nothing answers',
      '✓ client: copilot-cli: answers to approvals within 1s count for nothing',
      'claude-code: ',
    ]) {
      expect(ran.out).toContain(line)
    }
    expect(ran.out).toContain('! settings: Browsers and most MCP clients refuse port 9')
    expect(ran.out).toContain('0 errors, 3 warnings.')
  })

  test('tries every server once, and says why one does not answer', async () => {
    const fails = `[-e, "process.stderr.write('oops: missing API_KEY'); process.exit(1)"]`
    const works = fileURLToPath(new URL('../support/upstream/programs/old-stdio.js', import.meta.url))
    const { run } = await anInstallation(
      `version: 1
servers:
  good: { command: "${process.execPath}", args: ["${works}"] }
  broken: { command: "${process.execPath}", args: ${fails} }
  away: { url: "http://127.0.0.1:9/mcp" }
  keyed: { command: some-server, provider: notes }
providers: { notes: { apiKey: true, env: NOTES_KEY } }
`,
    )
    const ran = await run('doctor')
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/✓ server good: It answers, speaks 2025-11-25 and lists \d+ tools\./)
    expect(ran.out).toContain(
      'ended with code 1; its last line on standard error: oops: missing API_KEY. Run it by hand',
    )
    expect(ran.out).toContain('Check that a server runs at http://127.0.0.1:9/mcp.')
    expect(ran.out).toContain('- server keyed: It gets the account of each person at notes')
  })

  test('finds settings, a store and a login that cannot be used', async () => {
    const settings = await anInstallation('version: 1\npolicy: { default: maybe }\n')
    expect(await settings.run('doctor')).toMatchObject({
      code: 1,
      out: expect.stringContaining('assent.yaml:2: policy.default'),
    })
    const provider = await anInstallation('version: 1\nproviders: { my_notes: { apiKey: true } }\n')
    expect(await provider.run('doctor')).toMatchObject({
      code: 1,
      out: expect.stringContaining('assent.yaml:2: "my_notes" cannot name a provider.'),
    })
    const store = await anInstallation('version: 1\nstore: sqlite:assent.yaml\nlisten: 127.0.0.1:9\n')
    expect(await store.run('doctor')).toMatchObject({ code: 1, out: expect.stringContaining('✗ store') })
    const login = await anInstallation(
      'version: 1\nlisten: 127.0.0.1:9\nauth: { issuer: "http://127.0.0.1:9", audience: a }\n',
    )
    const ran = await login.run('doctor', '--json')
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.out)).toContainEqual({
      check: 'login',
      status: 'error',
      words: 'http://127.0.0.1:9 could not be reached.',
    })
    expect(JSON.parse(ran.out)).toContainEqual(expect.objectContaining({ check: 'approvers', status: 'warning' }))
  })

  test('attack: a page of a large file is spoiled; it is found, though Assent starts', async () => {
    const { file, run, open } = await anInstallation('version: 1\nlisten: 127.0.0.1:9\n')
    await (await open()).close()
    const path = join(dirname(file), '.assent/assent.db')
    await spoilLarge(path)
    const ran = await run('doctor')
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/✗ store: sqlite:\S+ is damaged\. Restore a backup\. .*page 2500/)
  })

  test('finds names in rules that nothing is called by, as the start and policy check do for servers', async () => {
    const url = await newServer((mcp) => {
      mcp.registerTool('write_file', {}, () => say('done'))
    })
    const { file, run } = await anInstallation(`version: 1
listen: 127.0.0.1:0
servers: { files: { url: "${url}" } }
policy:
  rules:
    - { server: fils, decide: deny }
    - { server: files, tool: [wirte_file, "write_*"], decide: deny }
    - { server: claude-code, tool: Bush, decide: deny }
    - { tool: anything, decide: deny }
`)
    const server = `${file}:6: policy.rules[0].server: no server is called "fils". Did you mean files?`
    const tool = `${file}:7: policy.rules[1].tool: no server of the rule has a tool "wirte_file". Did you mean write_file?`
    const ran = await run('doctor')
    expect(ran.out.split('\n').filter((line) => line.includes('rules'))).toEqual([
      `! rules: ${server}`,
      `! rules: ${tool}`,
    ])
    expect(ran.code).toBe(0)
    expect(await run('policy', 'check')).toMatchObject({ code: 0, err: `Warning: ${server}\n` })
  })

  test('finds a clock that is wrong, by the time at the login', async () => {
    const server = createServer((request, response) => {
      const issuer = `http://${request.headers.host}`
      response.setHeader('date', new Date(Date.now() + 120_000).toUTCString())
      response.end(JSON.stringify({ issuer }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { run } = await anInstallation(`version: 1\nauth: { issuer: "${issuer}", audience: a, clientId: c }\n`)
    const ran = await run('doctor')
    expect(ran.out).toContain(`✓ login: ${issuer}`)
    expect(ran.out).toMatch(/✗ clock: It is 1[12]\d s behind/)
    expect(ran.code).toBe(1)
  })
})

describe('the gateway', () => {
  test('reloads its policy when the file changes and on SIGHUP, and keeps the old one when the file is invalid', async () => {
    const { file, open } = await anInstallation(`version: 1\nlisten: 127.0.0.1:0\npolicy:${rules}`)
    const { child, said } = await startAssent(['--config', file], /Ctrl-C/)
    const other = await open()
    // Asked by a rule that the next policy no longer has.
    const { id } = await askedAbout(other)
    await writeFile(file, 'version: 1\nlisten: 127.0.0.1:0\npolicy:\n  rules:\n    - { decide: perhaps }\n')
    await expect.poll(said).toContain('The policy was not reloaded, and stays as it was.')
    expect(said()).toContain('assent.yaml:5: policy.rules[0].decide')
    expect((await other.get(id))?.state.kind).toBe('open')

    await writeFile(`${file}.new`, 'version: 1\nlisten: 127.0.0.1:0\npolicy:\n  rules:\n    - { decide: deny }\n')
    await rename(`${file}.new`, file)
    await expect.poll(said).toContain('The policy was reloaded: 1 rule. 1 question was withdrawn.')
    expect((await other.get(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'policy-changed' })

    child.kill('SIGHUP')
    await expect.poll(said).toContain('The policy has not changed.')
    await writeFile(
      file,
      'version: 1\nlisten: 127.0.0.1:0\nlimits: { openPerRequester: 5 }\npolicy: { rules: [{ decide: deny }] }\n',
    )
    await expect.poll(said).toContain('Other settings changed too')
    expect(await ended(child, 'SIGTERM')).toBe(0)
  })

  test('says at start what waits, that it is paused, and whom nobody can reach', async () => {
    const { file, open, run } = await anInstallation(`version: 1
listen: 127.0.0.1:0
policy:
  rules: [{ tool: "write_*", decide: ask, approvers: [local, "group:admins"] }]
`)
    await askedAbout(await open())
    await run('pause')
    const { said } = await startAssent(['--config', file], /Ctrl-C/)
    expect(said()).toContain('1 question waits for an answer.')
    expect(said()).toContain('Assent is paused')
    // On standard error, which may be read a moment later than the rest.
    await expect
      .poll(said)
      .toMatch(/Warning: .*assent\.yaml:4: policy\.rules\[0\]\.approvers names group:admins, who cannot answer/)
  })

  test('does not start with a gate that nobody could open', async () => {
    const { run } = await anInstallation(
      'version: 1\npolicy: { rules: [{ decide: ask, approvers: ["bob@https://x"] }] }\n',
    )
    expect(await run('gateway', '--port', '0')).toMatchObject({
      code: 2,
      err: expect.stringContaining('names nobody who could answer'),
    })
  })
})
