import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { initClients } from '../../../src/cli/init/clients.ts'
import { type CommandLine, unwrapped, wrapped } from '../../../src/cli/init/command-line.ts'
import { editServers } from '../../../src/cli/init/edit-servers.ts'

const wrapping = {
  assent: ['/usr/bin/node', '/opt/assent/dist/cli/main.js'],
  settings: '/home/ann/assent.yaml',
} as const
const clientNamed = (id: string) => initClients.find((client) => client.id === id) as (typeof initClients)[number]
const wrap = (id: string, text: string) =>
  editServers(clientNamed(id), text, (name, words) => (words ? wrapped(name, words, wrapping) : 'no command'))
const front = (name: string) => [wrapping.assent[1], 'run', '--config', wrapping.settings, '--name', name, '--']

describe('a file of JSON', () => {
  const text = `{
\t// What I use every day.
\t"theme": "dark",   "mcpServers": {
\t\t"files": { "command": "npx", "args": ["-y", "server", "/data"], /* mine */ "env": { "KEY": "a" } },
\t\t"bare": {"command":"./server"},
\t\t"remote": { "url": "https://notes.example.com/mcp", },
\t},
}
`

  test('keeps its comments and all that is not a command line', () => {
    const { text: after, changed, left } = wrap('cursor', text)
    expect(changed).toEqual(['files', 'bare'])
    expect(left).toEqual([{ name: 'remote', why: 'no command' }])
    expect(after).toContain('\t// What I use every day.\n')
    expect(after).toContain('/* mine */')
    const { mcpServers, theme } = parseJson(after)
    expect(theme).toBe('dark')
    expect(mcpServers).toEqual({
      files: { command: '/usr/bin/node', args: [...front('files'), 'npx', '-y', 'server', '/data'], env: { KEY: 'a' } },
      bare: { command: '/usr/bin/node', args: [...front('bare'), './server'] },
      remote: { url: 'https://notes.example.com/mcp' },
    })
  })

  test('of Claude Code has servers of each project too', () => {
    const { changed, text: after } = wrap(
      'claude-code',
      '{"mcpServers":{"a":{"command":"x"}},"projects":{"/p":{"mcpServers":{"b":{"command":"y"}},"n":1},"/q":{}}}',
    )
    expect(changed).toEqual(['a', 'b'])
    expect(JSON.parse(after).projects['/p'].mcpServers.b.args).toEqual([...front('b'), 'y'])
  })

  test('of opencode has program and arguments in one list', () => {
    const { text: after } = wrap('opencode', '{ "mcp": { "a": { "type": "local", "command": ["npx", "a"] } } }')
    expect(parseJson(after).mcp.a).toEqual({ type: 'local', command: ['/usr/bin/node', ...front('a'), 'npx', 'a'] })
  })

  test.each(['{ "mcpServers": {', '{ "mcpServers": { "a": nope } }'])(
    'that is broken is left as it is: %s',
    (broken) => {
      expect(() => wrap('cursor', broken)).toThrow(/line 1 is not JSON/)
    },
  )

  test.each([
    '{"mcpServers":{"a":{"command":"x"}},"mcpServers":{"a":{"command":"y"}}}',
    '{"mcpServers":{"a":{"command":"x","command":"y"}}}',
    '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y","args":["z"]}}}',
  ])('with a key that is there twice is left as it is: %s', (twice) => {
    expect(() => wrap('cursor', twice)).toThrow('cannot be changed safely')
  })

  test.each(['', '{}', '[]', '{"mcpServers":null}', '{"mcpServers":[]}', '\uFEFF{}'])(
    'without servers stays as it is: %j',
    (empty) => {
      expect(wrap('cursor', empty)).toEqual({ text: empty, changed: [], left: [] })
    },
  )

  test('with a byte order mark and other line ends keeps them', () => {
    const { text: after } = wrap(
      'cursor',
      '\uFEFF{\r\n  "mcpServers": {\r\n    "a": {\r\n      "command": "x"\r\n    }\r\n  }\r\n}',
    )
    expect(after.startsWith('\uFEFF{\r\n')).toBe(true)
    expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  })
})

describe('a file of TOML', () => {
  const text = `# my settings
model = "o5"   # the large one

[mcp_servers.files] # local
command = "npx" # from npm
args = [
  "-y", # yes
  "server",
]
env = { KEY = "a" }

  [mcp_servers."two words"]
  command = 'C:\\tools\\server.exe'

[mcp_servers.remote]
url = "https://notes.example.com/mcp"

[profiles.fast]
command = "not a server"
`

  test('keeps its comments and all that is not a command line', () => {
    const { text: after, changed, left } = wrap('codex', text)
    expect(changed).toEqual(['files', 'two words'])
    expect(left).toEqual([{ name: 'remote', why: 'no command' }])
    for (const kept of [
      '# my settings',
      '# the large one',
      '[mcp_servers.files] # local',
      '# from npm',
      'env = { KEY = "a" }',
    ]) {
      expect(after).toContain(kept)
    }
    expect(parseToml(after)).toEqual({
      model: 'o5',
      mcp_servers: {
        files: { command: '/usr/bin/node', args: [...front('files'), 'npx', '-y', 'server'], env: { KEY: 'a' } },
        'two words': { command: '/usr/bin/node', args: [...front('two words'), 'C:\\tools\\server.exe'] },
        remote: { url: 'https://notes.example.com/mcp' },
      },
      profiles: { fast: { command: 'not a server' } },
    })
  })

  test.each([
    ['servers in one line', 'mcp_servers = { a = { command = "x" } }'],
    ['dotted keys', 'mcp_servers.a.command = "x"'],
    ['a text that looks like a table', 'note = """\n[mcp_servers.a]\n"""\nmcp_servers.a.command = "x"'],
    ['a command line within a text of several lines', '[mcp_servers.a]\nnote = """\ncommand = "y"\n"""\ncommand = "x"'],
  ])('with %s is left as it is', (_, unusual) => {
    expect(() => wrap('codex', unusual)).toThrow('cannot be changed safely')
  })

  test('that is broken is left as it is', () => {
    expect(() => wrap('codex', '[mcp_servers')).toThrow('it is not TOML')
  })
})

test.each<CommandLine>([
  ['npx', '-y', 'server'],
  ['run', '--', 'x'],
  ['server', 'run', '--', 'x'],
])('a command line comes back from behind Assent as it was: %s', (...words) => {
  expect(unwrapped(wrapped('a', words as unknown as CommandLine, wrapping))).toEqual(words)
  expect(unwrapped(wrapped('run', words as unknown as CommandLine, { ...wrapping, assent: ['assent'] }))).toEqual(words)
  expect(unwrapped(words as unknown as CommandLine)).toBeUndefined()
})
