import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Connect, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { buildPackage } from '../support/build.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { assentInTerminal } from '../support/cli/terminal.ts'
import { newServer } from '../support/gateway/gateways.ts'
import { startIssuer } from '../support/oauth/issuer.ts'
import { promised, say } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const upstreams = new URL('../support/upstream/programs/', import.meta.url)

async function aConfig(text: string): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder()
  const file = join(folder, 'assent.yaml')
  await writeFile(file, text)
  return { folder, file }
}

const linkIn = (text: string) => /(http:\/\/\S+\/enroll\?code=\S+)/.exec(text)?.[1] ?? ''

describe('assent gateway', () => {
  test('serves pages to a browser that came by its link, and to nobody else', async () => {
    const { said } = await startAssent(['--store', 'memory:', '--port', '0'], /Ctrl-C/)
    const link = linkIn(said())
    expect((await fetch(link)).status).toBe(200)
    expect((await fetch(new URL('/connections', link))).status).toBe(403)
    const other = await startAssent(['--store', 'memory:', '--port', '0'], /Ctrl-C/)
    const port = new URL(linkIn(other.said())).port
    expect((await fetch(link.replace(/:\d+\//, `:${port}/`))).ok).toBe(false)
  })

  test('reads its settings, keeps things beside them, and says what a server is called', async () => {
    const { file, folder } = await aConfig(`version: 1
listen: localhost:0
servers: { My Server: { command: x }, off: { command: x, disabled: true } }
pages: { title: Our yes }
`)
    const { child, said } = await startAssent(['--config', file], /Ctrl-C/)
    expect(said()).toContain(file)
    expect(said()).toContain('"My Server" is called my-server')
    expect(said()).toMatch(/http:\/\/localhost:\d+\/enroll/)
    expect(await (await fetch(linkIn(said()))).text()).toContain('Our yes')
    expect(await ended(child, 'SIGINT')).toBe(0)
    await stat(join(folder, '.assent', 'assent.db'))
  })

  test('names the command for a new link with the options that it was started with', async () => {
    const { file, folder } = await aConfig('version: 1\nlisten: localhost:0\n')
    const named = await startAssent(['--config', file, '--port', '0'], /Ctrl-C/)
    const port = new URL(linkIn(named.said())).port
    expect(named.said()).toContain(`open --config ${file} --port ${port}\n`)
    const made = await assent(['open', '--print', '--config', file, '--port', port])
    expect((await fetch(made.out.trim())).status).toBe(200)

    const store = `sqlite:${join(folder, 'my data.db')}`
    const spaced = await startAssent(['--config', file, '--store', store], /Ctrl-C/)
    expect(spaced.said()).toContain(`open --config ${file} --store '${store}'\n`)
  })

  test('says which settings come from variables of other programs, and does not start with one that is wrong', async () => {
    const { file } = await aConfig('version: 1\nlisten: localhost:0\nstore: "memory:"\n')
    const env = { ELICITATION_TIMEOUT_SECONDS: '300', MCPGATEWAY_ELICITATION_ENABLED: 'false' }
    const { said } = await startAssent(['--config', file], /Ctrl-C/, { env })
    expect(said()).toContain('clocks.question, clocks.browserFlow and clocks.track come from the environment variable')
    expect(said()).toContain('elicitation.enabled comes from the environment variable MCPGATEWAY_ELICITATION_ENABLED')
    const doctor = await assent(['doctor', '--config', file], env)
    expect(doctor.out).toContain('elicitation.enabled comes from the environment variable')

    const wrong = { MCPGATEWAY_ELICITATION_TIMEOUT: 'a minute' }
    const remedy = 'environment: MCPGATEWAY_ELICITATION_TIMEOUT is "a minute"; write a whole number of seconds'
    expect(await assent(['gateway', '--config', file], wrong)).toMatchObject({
      code: 2,
      err: expect.stringContaining(remedy),
    })
    const empty = await temporaryFolder()
    expect(await assent(['gateway', '--port', '0'], wrong, empty)).toMatchObject({
      code: 2,
      err: expect.stringContaining(remedy),
    })
  })

  /** Pasted `mcpServers` with one program that answers nothing before the file is there, as behind a cold `npx`. */
  async function slowGateway(clocks: string) {
    const { file, folder } = await aConfig('')
    const [program, there] = [fileURLToPath(new URL('start-when.js', upstreams)), join(folder, 'there')]
    const servers = JSON.stringify({ slow: { command: process.execPath, args: [program, there] } })
    await writeFile(
      file,
      `version: 1\nlisten: 127.0.0.1:0\nstore: "memory:"\nclocks: ${clocks}\nmcpServers: ${servers}\n`,
    )
    const { said } = await startAssent(['gateway', '--config', file], /Ctrl-C/)
    const [, url = ''] = /(http:\/\/127\S+\/mcp)(?=[\s;,]| for)/.exec(said()) ?? []
    return { said, url, comes: () => writeFile(there, '') }
  }

  test('lists a server at the first try that is still starting when it is asked for', async () => {
    const { url, comes, said } = await slowGateway('{ listFirst: 5m }')
    const listing = assent(['call', url])
    await expect.poll(said).toContain('negotiated')
    await comes()
    expect(await listing).toMatchObject({ code: 0, out: expect.stringContaining('slow__echo') })
    expect(said()).not.toContain('left out')
  })

  test('says which server is left out of the first list, tells the client when it is there, and lists it then', async () => {
    const { url, comes, said } = await slowGateway('{ listFirst: 100ms, listDown: 100ms }')
    const client = await connect11({ url: new URL(url) })
    onTestFinished(() => client.close())
    expect(JSON.stringify(await client.listTools())).not.toContain('slow__')
    await expect.poll(said).toMatch(/"server":"slow".*did not answer in time and is left out of the list/)
    await comes()
    await expect.poll(() => client.received()).toContain('notifications/tools/list_changed')
    expect(JSON.stringify(await client.listTools())).toContain('slow__echo')
    await expect.poll(said).toMatch(/"server":"slow".*left out of a list is there, and clients are notified/)
  })

  test('with settings that are wrong it does not start, and says all that is wrong', async () => {
    const { file, folder } = await aConfig(`version: 1
listen: 0.0.0.0:4180
store: sqlite:never.db
auths: { issuer: x }
`)
    const ran = await assent(['gateway', '--config', file])
    expect(ran.code).toBe(2)
    expect(ran.err.trim().split('\n')).toEqual([
      expect.stringContaining('assent.yaml:2: listen is "0.0.0.0:4180"; other machines can reach that'),
      expect.stringContaining('assent.yaml:4: auths is not known; did you mean auth?'),
    ])
    await expect(stat(join(folder, 'never.db'))).rejects.toThrow()
  })

  test('finds assent.yaml where it is started; --store and ASSENT_STORE win over it', async () => {
    const { folder } = await aConfig('version: 1\nstore: sqlite:kept.db\n')
    const list = (args: string[], env = {}) => assent([...args, 'keys', 'list'], env, folder)
    expect((await list(['--store', 'sqlite:one.db'])).code).toBe(0)
    expect((await list([], { ASSENT_STORE: 'sqlite:two.db' })).code).toBe(0)
    await expect(stat(join(folder, 'kept.db'))).rejects.toThrow()
    expect((await list([])).code).toBe(0)
    for (const name of ['one.db', 'two.db', 'kept.db']) await stat(join(folder, name))
  })

  test('in a terminal, Enter prints a new link, and Ctrl-C stops it', async () => {
    const terminal = assentInTerminal(['--store', 'memory:', '--port', '0'])
    await terminal.see('Press Enter for a new link')
    const first = linkIn(terminal.shown())
    terminal.type('\r')
    await terminal.see('works once')
    await expect.poll(() => terminal.shown().match(/enroll\?code=/g)?.length).toBe(2)
    expect(terminal.shown().lastIndexOf(first)).toBe(terminal.shown().indexOf(first))
    terminal.type('\x03')
    expect(await terminal.ended()).toBe(0)
  })

  test('shows how, with examples', async () => {
    const { out } = await assent(['gateway', '--help'])
    for (const word of ['--port', '--config', '--store', 'Examples', 'assent.yaml']) expect(out).toContain(word)
  })
})

const program = (name: string) => fileURLToPath(new URL(`../support/upstream/programs/${name}.js`, import.meta.url))
const aServer = (name: string) =>
  `{ command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(program(name))}] }`

async function aGateway(settings: string) {
  const { file, folder } = await aConfig(`version: 1\nlisten: 127.0.0.1:0\n${settings}`)
  const { child, said } = await startAssent(['--config', file], /Ctrl-C/)
  const [, url = ''] = /MCP +(http:\S+)/.exec(said()) ?? []
  const connect = async (how: Connect, only = '') => {
    const client = await how({ url: new URL(`${url}${only}`) })
    onTestFinished(() => client.close())
    return client
  }
  return { child, said, url, file, folder, connect }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('assent gateway with servers in its settings', () => {
  const both = `servers: { old: ${aServer('old-stdio')}, new: ${aServer('new-stdio')} }\n`

  test.each([
    ['SDK 1.32 of 2025', connectOld],
    ['SDK 2.4 of 2025', connect11],
    ['SDK 2.4 of 2026', connect26],
  ] as const)('serves all of them at /mcp and each at /mcp/{server}, to %s', async (_, how) => {
    const { connect, said, url } = await aGateway(`${both}policy: { default: allow }\n`)
    for (const line of [`${url}/old`, `${url}/new`]) expect(said()).toContain(line)
    const joined = await connect(how)
    expect((await joined.call('old__echo', { text: 'one' })).text).toBe('one')
    expect((await joined.call('new__echo', { text: 'two' })).text).toBe('two')
    const alone = await connect(how, '/new')
    expect((await alone.call('echo', { text: 'three' })).text).toBe('three')
    expect((await fetch(`${url}/no-such`, { method: 'POST' })).status).toBe(404)
  })

  test('takes a pasted mcpServers block, and calls each server as it said', async () => {
    const { connect, said } = await aGateway(
      `mcpServers: { My Tools: ${aServer('new-stdio')} }\npolicy: { default: allow }\n`,
    )
    expect(said()).toContain('"My Tools" is called my-tools')
    const client = await connect(connect26)
    expect((await client.call('my-tools__echo', { text: 'hello' })).text).toBe('hello')
  })

  test('decides by the policy that is in the file now', async () => {
    const settings = (word: string) =>
      `version: 1\nlisten: 127.0.0.1:0\n${both}policy: { rules: [{ tool: echo, decide: ${word} }] }\n`
    const { connect, file, said } = await aGateway(settings('allow').replace(/^.*\n.*\n/, ''))
    const client = await connect(connect26, '/new')
    expect((await client.call('echo', { text: 'hello' })).text).toBe('hello')
    await writeFile(file, settings('deny'))
    await expect.poll(said).toContain('The policy was reloaded: 1 rule.')
    expect(await client.call('echo', { text: 'hello' })).toMatchObject({
      isError: true,
      outcome: { status: 'denied' },
    })
  })

  test('stops when told, with a call under way: the client hears of it, and no server is left', async () => {
    const { child, connect } = await aGateway(`${both}clocks: { finish: 300ms }\npolicy: { default: allow }\n`)
    const client = await connect(connectOld, '/old')
    const pid = Number((await client.call('pid')).text)
    const waiting = client.call('wait').then(
      ({ isError }) => (isError ? 'error' : 'result'),
      () => 'error',
    )
    expect(isAlive(pid)).toBe(true)
    expect(await ended(child, 'SIGTERM')).toBe(0)
    expect(await waiting).toBe('error')
    expect(isAlive(pid)).toBe(false)
  })

  test.each([
    ['2025', connect11],
    ['2026', connect26],
  ] as const)('lets servers finish what they are working on when it stops, for a client of %s', async (_, how) => {
    const [called, release] = [promised(), promised()]
    const up = await newServer((server) =>
      server.registerTool('work', {}, async () => {
        called.keep()
        await release.promise
        return say('finished')
      }),
    )
    const { child, connect, said } = await aGateway(
      `servers: { up: { url: "${up}" } }\nclocks: { finish: 5m }\npolicy: { default: allow }\n`,
    )
    const client = await connect(how, '/up')
    const calling = client.call('work')
    await called.promise
    const gone = ended(child, 'SIGTERM')
    await expect.poll(said).toContain('Waiting up to 300 s for 1 request that a server is working on.')
    release.keep()
    expect((await calling).text).toBe('finished')
    expect(await gone).toBe(0)
  })

  test.each([
    ['2025 that cannot be asked', connect11, undefined],
    ['2025 that shows a form', connect11, { form: {} }],
    ['2026 that cannot be asked', connect26, undefined],
  ] as const)('a call that is held when it stops ends as pending, for a client of %s', async (_, how, elicitation) => {
    const { child, url, file } = await aGateway(
      `store: sqlite:a.db\n${both}policy: { rules: [{ tool: echo, decide: ask }], fallback: inbox }\n`,
    )
    const client = await how({ url: new URL(`${url}/new`) }, { elicitation })
    onTestFinished(() => client.close())
    client.answers(() => new Promise(() => {}))
    const calling = client.call('echo', { text: 'hello' })
    await expect
      .poll(async () => JSON.parse((await assent(['inbox', '--json', '--config', file])).out || '[]'))
      .toHaveLength(1)
    expect(await ended(child, 'SIGTERM')).toBe(0)
    const { text, outcome } = await calling
    expect(outcome).toEqual({ status: 'pending', reason: 'waiting-for-approval' })
    expect(text).toContain('Nothing ran. Tell the person this link')
  })

  test('says what it does on /readyz and /metrics', async () => {
    const { connect, url } = await aGateway(`${both}policy: { default: allow }\n`)
    const client = await connect(connect26, '/new')
    await client.call('echo', { text: 'hello' })
    const ready = (await (await fetch(new URL('/readyz', url))).json()) as { upstreams: object[] }
    expect(ready).toMatchObject({ status: 'ready', store: 'up' })
    expect(ready.upstreams).toContainEqual(expect.objectContaining({ id: 'new', state: 'up', revision: '2026-07-28' }))
    const metrics = await (await fetch(new URL('/metrics', url))).text()
    expect(metrics).toMatch(/assent_calls_total\{[^}]*server="new"[^}]*\} 1/)
  })

  test('keeps a connection open for longer than balancers keep theirs', async () => {
    const { url } = await aGateway(both)
    const [response] = await once(get(new URL('/healthz', url)), 'response')
    response.resume()
    expect(response.headers['keep-alive']).toBe('timeout=75')
  })

  test('serves metrics on an address of their own, and nothing else there', async () => {
    const { said, child } = await aGateway('metrics: { listen: "127.0.0.1:0" }\n')
    const [, url = ''] = /metrics +(http:\S+)/.exec(said()) ?? []
    expect(await (await fetch(url)).text()).toContain('assent_asks_open 0')
    const statusOf = async (path: string) => (await fetch(new URL(path, url))).status
    expect(await Promise.all(['/healthz', '/readyz', '/mcp', '/inbox'].map(statusOf))).toEqual([200, 200, 404, 404])
    const [, port] = /:(\d+)\//.exec(url) ?? []
    const { file } = await aConfig(
      `version: 1\nlisten: 127.0.0.1:0\nstore: "memory:"\nmetrics: { listen: 127.0.0.1:${port} }\n`,
    )
    expect(await assent(['--config', file])).toMatchObject({
      code: 2,
      err: `Port ${port} is in use; choose another with metrics.listen.\n`,
    })
    expect(await ended(child, 'SIGTERM')).toBe(0)
  })

  test('with a login, nobody gets in without a token', async () => {
    const { issuer, mint } = await startIssuer()
    const auth = `auth: { issuer: "${issuer}", audience: "https://assent.test/mcp" }\npublicUrl: https://assent.test\n`
    const { said } = await aGateway(`${auth}${both}policy: { default: allow }\n`)
    const [, origin = ''] = /health +(http:\S+)\/healthz/.exec(said()) ?? []
    const stranger = await fetch(`${origin}/mcp/new`, { method: 'POST' })
    expect(stranger.status).toBe(401)
    expect(stranger.headers.get('www-authenticate')).toMatch(/^Bearer .*resource_metadata=/)
    const client = await connect26({ url: new URL(`${origin}/mcp/new`), token: await mint() })
    onTestFinished(() => client.close())
    expect((await client.call('echo', { text: 'hello' })).text).toBe('hello')
  })
})
