import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connect26 } from '../../support/asking/asking-clients.ts'
import { buildPackage } from '../../support/build.ts'
import { assent } from '../../support/cli/cli.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary.ts'

beforeAll(buildPackage)

const program = fileURLToPath(new URL('../../support/upstream/programs/new-stdio.js', import.meta.url))

/** The home of a person, with files of clients in it. */
async function aHome(files: Readonly<Record<string, string>> = {}) {
  const home = await temporaryFolder()
  const env = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', CODEX_HOME: '', APPDATA: '' }
  for (const [file, text] of Object.entries(files)) await write(file, text)

  async function write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(home, file)), { recursive: true })
    await writeFile(join(home, file), text, { mode: 0o640 })
  }

  return {
    home,
    env,
    write,
    read: (file: string) => readFile(join(home, file), 'utf8'),
    init: (...words: string[]) => assent(['init', ...words], env, home),
  }
}

/** One file of each client, as people write them. */
const usual: Readonly<Record<string, string>> = {
  '.claude.json':
    '{\n  "numStartups": 4,\n  "mcpServers": { "files": {"type": "stdio", "command": "npx", "args": ["a"]} },\n  "projects": {"/p": {"mcpServers": {"db": {"command": "uvx", "args": ["db"]}}}}\n}',
  '.config/Claude/claude_desktop_config.json':
    '{"mcpServers":{"files":{"command":"npx","args":["a"],"env":{"A":"b"}}}}',
  '.config/Code/User/mcp.json':
    '// Mine.\n{\n\t"servers": {\n\t\t"files": { "command": "npx", "args": ["a",], },\n\t},\n}\n',
  '.cursor/mcp.json': '{\r\n    "mcpServers": {\r\n        "files": { "command": "npx" }\r\n    }\r\n}\r\n',
  '.codex/config.toml': '# mine\nmodel = "o5"\n\n[mcp_servers.files]\ncommand = "npx"\nargs = [\n  "a", # it\n]\n',
  '.gemini/settings.json': '{ "theme": "x", "mcpServers": { "files": { "command": "npx", "trust": true } } }\n',
  '.config/opencode/opencode.jsonc': '{ /* mine */ "mcp": { "files": { "type": "local", "command": ["npx", "a"] } } }',
}

/** The same object in a way that no program would write it: comments everywhere, tabs, odd spaces, commas at the end. */
const odd = (key: string, server: string) =>
  `\uFEFF// before\r\n{ /* in */\r\n\t"x" :1 , // y\r\n\r\n   "${key}"\t:{ // servers\r\n"files" /* a */ : ${server}  ,\r\n\r\n // last\r\n},\r\n}\r\n\r\n// after`
const oddServer = '{"type":"stdio" ,\t"command":\r\n"npx" , "args" : [ "a" , /* b */ "c d" , ] , }'

/** One file of each client, with comments and in odd formatting. */
const unusual: Readonly<Record<string, string>> = {
  '.claude.json': odd('mcpServers', oddServer),
  '.config/Claude/claude_desktop_config.json': odd('mcpServers', oddServer),
  '.config/Code/User/mcp.json': odd('servers', oddServer),
  '.cursor/mcp.json': odd('mcpServers', oddServer),
  '.codex/config.toml':
    '\n\n# before\r\n[ mcp_servers . \'files\' ]   # servers\n\tcommand=\'npx\'# b\nargs = [ \'a\' ,\n\n  "c d", # b\n  ]\n\n  [mcp_servers."files".env]\nA="b"\n# after',
  '.gemini/settings.json': odd('mcpServers', oddServer),
  '.config/opencode/opencode.json': odd('mcp', '{ "type":"local","command" :[ "npx",\r\n\t"a" /* b */ ,"c d",],}'),
}

describe('assent init', () => {
  test('keeps comments and odd formatting of each client, and --undo puts each file back byte for byte', async () => {
    const { init, read, home } = await aHome(unusual)
    const done = await init('--yes')
    expect(done).toMatchObject({ code: 0, err: '' })
    for (const [file, text] of Object.entries(unusual)) {
      expect(done.out).toContain(`Changed ${join(home, file)}`)
      const changed = await read(file)
      expect(changed, file).not.toBe(text)
      for (const comment of text.match(/(?:\/\/|#) ?(?!b\b)\w+|\/\* (?!b)\w+ \*\//g) ?? [])
        expect(changed, file).toContain(comment)
    }
    expect(await init('--undo', '--yes')).toMatchObject({ code: 0, err: '' })
    for (const [file, text] of Object.entries(unusual)) expect(await read(file), file).toBe(text)
  })

  test('puts Assent in front of the servers of every client, once, and --undo puts each file back byte for byte', async () => {
    const { init, read, home } = await aHome(usual)
    const done = await init('--yes')
    expect(done).toMatchObject({ code: 0, err: '' })
    for (const file of Object.keys(usual)) expect(done.out).toContain(`Changed ${join(home, file)}`)
    const settings = join(home, '.config/assent/assent.yaml')
    const cursor = parseJson(await read('.cursor/mcp.json')).mcpServers.files
    expect([cursor.command, ...cursor.args].slice(-7)).toEqual([
      'run',
      '--config',
      settings,
      '--name',
      'files',
      '--',
      'npx',
    ])
    expect(parseToml(await read('.codex/config.toml'))).toMatchObject({
      model: 'o5',
      mcp_servers: { files: { args: expect.arrayContaining(['--name', 'files', '--', 'npx', 'a']) } },
    })
    expect(await read('.config/assent/assent.yaml')).toContain('mode: watch')
    expect((await stat(join(home, '.cursor/mcp.json'))).mode & 0o777).toBe(0o640)

    const again = await init('--yes')
    expect(again.out).toContain('There is nothing to change.')
    expect(again.out).toContain('files is left as it is: Assent is in front of it already.')

    const undone = await init('--undo', '--yes')
    expect(undone).toMatchObject({ code: 0, err: '' })
    for (const [file, text] of Object.entries(usual)) expect(await read(file), file).toBe(text)
    // No copy stays, for it may hold keys.
    expect(await readdir(join(home, '.local/state/assent/init'))).toEqual(['changed-files.json'])
    expect((await init('--undo', '--yes')).out).toContain('There is nothing to put back.')
  })

  test('shows every line that would change, and changes nothing by --dry-run or without anybody to agree', async () => {
    const { init, read, home } = await aHome({ '.cursor/mcp.json': usual['.cursor/mcp.json'] as string })
    const dry = await init('--dry-run')
    expect(dry.out).toMatch(/-\s+"files": \{ "command": "npx" \}/)
    expect(dry.out).toMatch(/\+.*"run"/)
    expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed.') })
    expect(await init()).toMatchObject({ code: 2, err: expect.stringContaining('Use --yes to change the files') })
    expect(await read('.cursor/mcp.json')).toBe(usual['.cursor/mcp.json'])
    expect(await readdir(home)).toEqual(['.cursor'])
  })

  test('changes the clients that are named, and refuses one that it does not know', async () => {
    const { init, read } = await aHome(usual)
    expect((await init('--yes', '--client', 'codex')).code).toBe(0)
    expect(await read('.codex/config.toml')).not.toBe(usual['.codex/config.toml'])
    expect(await read('.cursor/mcp.json')).toBe(usual['.cursor/mcp.json'])
    expect(await init('--client', 'emacs')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Known: claude-code'),
    })
  })

  test('changes files of a project only if it is told to', async () => {
    const { init, read } = await aHome({ '.mcp.json': '{"mcpServers":{"a":{"command":"x"}}}' })
    expect((await init('--yes')).out).toContain('No config file of a client was found.')
    expect((await init('--yes', '--project')).out).toContain('Changed')
    expect(await read('.mcp.json')).toContain('"--name"')
  })

  test('leaves settings that exist, servers that are no commands, and files that it cannot read as they are', async () => {
    const { init, read } = await aHome({
      '.config/assent/assent.yaml': 'version: 1\n',
      '.cursor/mcp.json': '{"mcpServers":{"remote":{"url":"https://notes.example.com/mcp"}}}',
      '.gemini/settings.json': '{ "mcpServers": ',
    })
    const { out, code } = await init('--yes')
    expect(code).toBe(0)
    expect(out).toContain('remote is left as it is: it is not started by a command.')
    expect(out).toContain('left as it is: line 1 is not JSON')
    expect(await read('.config/assent/assent.yaml')).toBe('version: 1\n')
  })

  test('follows a link, and keeps it', async () => {
    const { init, home, write, read } = await aHome()
    await write('dotfiles/cursor.json', usual['.cursor/mcp.json'] as string)
    await mkdir(join(home, '.cursor'))
    await symlink(join(home, 'dotfiles/cursor.json'), join(home, '.cursor/mcp.json'))
    await init('--yes')
    expect(await read('dotfiles/cursor.json')).toContain('"run"')
    await init('--undo', '--yes')
    expect(await read('dotfiles/cursor.json')).toBe(usual['.cursor/mcp.json'])
  })

  test('takes only itself out of a file that was changed since', async () => {
    const { init, read, write } = await aHome({
      '.cursor/mcp.json': '{"mcpServers":{"a":{"command":"x","args":["1"]}}}',
    })
    await init('--yes')
    const changed = parseJson(await read('.cursor/mcp.json'))
    changed.mcpServers.b = { command: 'new' }
    await write('.cursor/mcp.json', JSON.stringify(changed))
    const { out, code } = await init('--undo', '--yes')
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('these changes stay') })
    expect(JSON.parse(await read('.cursor/mcp.json'))).toEqual({
      mcpServers: { a: { command: 'x', args: ['1'] }, b: { command: 'new' } },
    })
  })

  test('takes only itself out of a file that was changed since, also when it was put in front of what is new', async () => {
    const { init, read, write } = await aHome({ '.cursor/mcp.json': '{"mcpServers":{"a":{"command":"x"}}}' })
    await init('--yes')
    const changed = parseJson(await read('.cursor/mcp.json'))
    changed.mcpServers.b = { command: 'new' }
    await write('.cursor/mcp.json', JSON.stringify(changed))
    expect((await init('--yes')).out).toContain('Changed')
    expect(JSON.parse(await read('.cursor/mcp.json')).mcpServers.b.args).toContain('new')
    expect((await init('--undo', '--yes')).out).toContain('these changes stay')
    expect(JSON.parse(await read('.cursor/mcp.json')).mcpServers).toMatchObject({
      a: { command: 'x' },
      b: { command: 'new' },
    })
  })

  test('says where the copy is when a file cannot be put back', async () => {
    const { init, home, read } = await aHome({ '.cursor/mcp.json': usual['.cursor/mcp.json'] as string })
    await init('--yes')
    await rm(join(home, '.cursor/mcp.json'))
    const { code, err } = await init('--undo', '--yes')
    expect(code).toBe(1)
    const [, copy] = /As it was: (.*)/.exec(err) ?? []
    expect(await read((copy as string).slice(home.length))).toBe(usual['.cursor/mcp.json'])
  })

  test('a client that starts what it wrote gets the tools of the server, and its call runs and is recorded', async () => {
    const entry = { command: process.execPath, args: [program] }
    const { init, read, env, home } = await aHome({
      '.cursor/mcp.json': JSON.stringify({ mcpServers: { tools: entry } }),
    })
    await init('--yes')
    const settings = join(home, '.config/assent/assent.yaml')
    const written = await readFile(settings, 'utf8')
    await writeFile(settings, written.replace('127.0.0.1:4181', `127.0.0.1:${await freePort()}`))
    const { command, args } = parseJson(await read('.cursor/mcp.json')).mcpServers.tools
    expect(command).toBe(process.execPath)
    const client = await connect26({ args, env: { ...process.env, ...env } as Record<string, string> })
    onTestFinished(() => client.close())
    expect((await client.call('echo', { text: 'hello' })).text).toBe('hello')
    await client.close()
    const { out } = await assent(['audit', 'export', '--config', settings], env)
    expect(out).toContain('"call-started"')
    expect(out).toContain('"tools"')
  })
})
