import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { milliseconds } from '../../../src/base/durations.ts'
import { BadConfig } from '../../../src/base/errors.ts'
import type { Config } from '../../../src/cli/config/config.ts'
import { defaults } from '../../../src/cli/config/defaults.ts'
import { readStoreAddress } from '../../../src/cli/config/read/store-address.ts'
import { type Given, readConfig } from '../../../src/cli/config/read.ts'
import { temporaryFolder } from '../../support/temporary.ts'

type Env = Readonly<Record<string, string>>

async function written(text: string, name = 'assent.yaml'): Promise<{ file: string; folder: string }> {
  const folder = await temporaryFolder()
  const file = join(folder, name)
  await writeFile(file, text)
  return { file, folder }
}

async function read(text: string, env: Env = {}, given: Given = {}): Promise<Config> {
  const { file } = await written(text)
  return readConfig({ ...given, config: file }, env)
}

/** What is wrong, without the folder of the file. */
async function wrongWith(text: string, env: Env = {}, name?: string): Promise<string[]> {
  const { file, folder } = await written(text, name)
  const error = await readConfig({ config: file }, env).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(BadConfig)
  return (error as BadConfig).message.replaceAll(`${folder}/`, '').split('\n')
}

const v1 = 'version: 1\n'
const mailTo = (to: string) => `${v1}channels: [{ mail: { smtp: "smtps://x", from: a@b, to: ${to} } }]`

test('without a file every setting is its default', async () => {
  const config = await readConfig({ config: (await written(v1)).file }, {})
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 4180 },
    publicUrl: 'http://127.0.0.1:4180',
    policy: { ...defaults.policy, rules: [] },
    limits: defaults.limits,
    elicitation: { enabled: true },
    channels: [],
    providers: {},
    trustedProxies: [],
    metrics: { allow: [] },
    hooks: { hold: milliseconds(defaults.hooks.hold), allow: [] },
    pages: { ...defaults.pages, names: {} },
  })
  expect(config.metrics.listen).toBeUndefined()
  expect(config.auth).toBeUndefined()
  expect(config.servers.size).toBe(0)
  for (const [name, text] of Object.entries(defaults.clocks)) {
    expect(config.clocks[name as keyof typeof defaults.clocks]).toBe(milliseconds(text))
  }
  expect(config.retain).toEqual({
    settled: milliseconds('30d'),
    audit: milliseconds('400d'),
    hourlyCounts: milliseconds('14d'),
    dailyCounts: milliseconds('400d'),
  })
})

test('the example of the design is read whole', async () => {
  const { file, folder } = await written(`version: 1
listen: 0.0.0.0:4180
publicUrl: https://assent.example.com/
store: sqlite:kept/assent.db
auth:
  issuer: https://login.example.com
  audience: https://assent.example.com/mcp
  clientId: assent-web
  clientSecret: "\${env:LOGIN_SECRET}"
  proxy: { header: x-user, from: [10.0.0.1] }
trustedProxies: [10.1.0.0/16, "fd00::1"]
servers:
  files: { command: npx, args: [-y, server, 1], env: { A: "x\${env:LOGIN_SECRET}y" }, cwd: sub }
  own: { command: ./server }
  notes: { url: "https://notes.example.com/mcp", provider: notes, trusted: true, headers: { X-A: b } }
providers:
  notes: { issuer: "https://notes.example.com", clientId: a, clientSecret: "\${env:LOGIN_SECRET}" }
policy:
  mode: watch
  rules:
    - { server: files, tool: "read_*", decide: allow }
clocks: { hold: 5s }
limits: { bodyBytes: "\${env:BYTES}" }
elicitation: { enabled: false }
channels:
  - { webhook: { url: "https://hooks.example.com/x", secret: "\${env:LOGIN_SECRET}" } }
  - mail:
      smtp: "smtps://me:\${env:LOGIN_SECRET}@mail.example.com"
      from: Assent <assent@example.com>
      to: { local: me@example.com, "group:ops": [a@example.com, b@example.com], "*": rest@example.com }
      gather: 5m
      quiet: { from: "22:00", to: "07:00", timeZone: Europe/Berlin }
retain: { settled: 1d }
metrics: { listen: 0.0.0.0:9464, allow: [10.0.0.0/8, "::1"] }
pages: { primaryColor: "#abc", names: { api-key: key } }
`)
  const config = await readConfig({ config: file }, { LOGIN_SECRET: 'hunter2', BYTES: '1000' })
  expect(config).toMatchObject({
    listen: { host: '0.0.0.0', port: 4180 },
    publicUrl: 'https://assent.example.com',
    store: `sqlite:${folder}/kept/assent.db`,
    auth: {
      issuer: 'https://login.example.com',
      clientId: 'assent-web',
      clientSecret: 'hunter2',
      proxy: { header: 'x-user', from: ['10.0.0.1'] },
    },
    trustedProxies: ['10.1.0.0/16', 'fd00::1'],
    providers: { notes: { issuer: 'https://notes.example.com', clientSecret: 'hunter2' } },
    policy: { mode: 'watch', default: 'ask', rules: [{ server: 'files', tool: 'read_*', decide: 'allow' }] },
    clocks: { hold: 5_000, question: 600_000 },
    limits: { bodyBytes: 1_000, asksPerMinute: 60 },
    elicitation: { enabled: false },
    channels: [
      { webhook: { url: 'https://hooks.example.com/x', secret: 'hunter2' } },
      {
        mail: {
          smtp: 'smtps://me:hunter2@mail.example.com',
          from: 'Assent <assent@example.com>',
          to: {
            local: ['me@example.com'],
            'group:ops': ['a@example.com', 'b@example.com'],
            '*': ['rest@example.com'],
          },
          gatherMs: 300_000,
          quiet: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
        },
      },
    ],
    retain: { settled: 86_400_000 },
    metrics: { listen: { host: '0.0.0.0', port: 9464 }, allow: ['10.0.0.0/8', '::1'] },
    pages: { primaryColor: '#abc', names: { 'api-key': 'key' } },
  })
  expect([...config.servers.values()]).toEqual([
    {
      id: 'files',
      name: 'files',
      trusted: false,
      kind: 'process',
      command: 'npx',
      args: ['-y', 'server', '1'],
      env: { A: 'xhunter2y' },
      cwd: join(folder, 'sub'),
    },
    {
      id: 'own',
      name: 'own',
      trusted: false,
      kind: 'process',
      command: join(folder, 'server'),
      args: [],
      env: {},
      cwd: folder,
    },
    {
      id: 'notes',
      name: 'notes',
      trusted: true,
      provider: 'notes',
      kind: 'http',
      url: 'https://notes.example.com/mcp',
      headers: { 'X-A': 'b' },
    },
  ])
  expect(config.written?.lineOf(['policy', 'rules', 0, 'tool'])).toBe(21)
})

test('all that is wrong is told at once, each with its line', async () => {
  expect(
    await wrongWith(`version: 1
polcy: {}
policy:
  default: never
  rules:
    - { decide: allow }
    - { decide: ask }
    - { tool: x,
        decide: maybe }
clocks: { question: 10 }
`),
  ).toEqual([
    'assent.yaml:2: polcy is not known; did you mean policy?',
    'assent.yaml:4: policy.default is "never"; write allow, ask or deny.',
    'assent.yaml:9: policy.rules[2].decide is "maybe"; write allow, ask or deny.',
    'assent.yaml:10: clocks.question is 10; write a whole number above 0 and a unit, such as 45s, 10m, 1h or 30d.',
  ])
})

test.each([
  ['listen: 127.0.0.1:1', 'version is missing; write `version: 1` at the top.'],
  ['version: 2', 'version is 2; write 1.'],
  [`${v1}listen: here`, 'listen is "here"; write a host and a port, such as 127.0.0.1:4180.'],
  [`${v1}listen: 127.0.0.1:70000`, 'listen is "127.0.0.1:70000"; write a host and a port'],
  [
    `${v1}listen: 0.0.0.0:1\npublicUrl: https://a.example`,
    'other machines can reach that, and there is no login; write 127.0.0.1, or add auth.',
  ],
  [`${v1}listen: 0.0.0.0:1`, 'there is no login'],
  [`${v1}publicUrl: https://a.example`, 'publicUrl is for other machines too, and there is no login; add auth'],
  [`${v1}publicUrl: nowhere`, 'publicUrl is not a full url; write one such as https://example.com/x.'],
  [`${v1}publicUrl: http://127.0.0.1:1/?a=b`, 'publicUrl has a query or a fragment'],
  [
    `${v1}store: mysql://x`,
    'store is not the address of a store; write memory:, sqlite:<path>, postgres://… or redis://….',
  ],
  [`${v1}auth:`, 'auth is empty; write issuer and audience, or leave auth out.'],
  [`${v1}auth: { issuer: "https://a.example" }`, 'auth.audience is missing'],
  [`${v1}auth: { issuer: "http://a.example", audience: b }`, 'auth.issuer is plain http, which others can read'],
  [`${v1}auth: { issuer: "https://a", audience: b, clientSecret: c }`, 'auth.clientId is missing'],
  [`${v1}auth: { issuer: "https://a", audience: b, proxy: { header: x, from: [nginx] } }`, 'write an IP address'],
  [`${v1}auth: { issuer: "https://a", audience: b }\nlisten: 0.0.0.0:1`, 'publicUrl is missing'],
  [`${v1}servers: { a: 3 }`, 'servers.a is a number; write { command: … } or { url: … }.'],
  [`${v1}servers: { a: {} }`, 'servers.a has neither a command nor a url'],
  [`${v1}servers: { a: { command: x, url: "https://x" } }`, 'servers.a has a command and a url'],
  [`${v1}servers: { a: { comand: x } }`, 'servers.a.comand is not known; did you mean command?'],
  [`${v1}servers: { a: { command: x, args: y } }`, 'servers.a.args is text; write a list'],
  [`${v1}servers: { a: { type: sse, url: "https://x" } }`, 'servers.a.type is sse'],
  [
    `${v1}servers: { a: { url: "https://x", provider: nots } }\nproviders: { notes: { apiKey: true, fieldLabel: x } }`,
    'is "nots"; write notes.',
  ],
  [`${v1}servers: { a: { url: "http://x.example", provider: p } }\nproviders: { p: {} }`, 'is plain http'],
  [`${v1}servers: {}\nmcpServers: {}`, 'keep one of the two'],
  [`${v1}servers: [a]`, 'servers is a list; write settings by name'],
  [
    `${v1}providers: { my_notes: { apiKey: true } }`,
    '2: "my_notes" cannot name a provider. Use lower-case letters, digits and "-", 32 characters at most, such as "my-notes".',
  ],
  [`${v1}providers: { a: yes }`, 'providers.a is text'],
  [`${v1}policy: { rules: { a: b } }`, 'policy.rules is a group of settings; write a list'],
  [`${v1}policy: { rules: [allow] }`, 'policy.rules[0] is text; write a rule'],
  [
    `${v1}policy: { rules: [{ decide: ask, notify: "channel:pager" }] }`,
    'policy.rules[0].notify names "channel:pager", and there is no such channel. There are none under channels.',
  ],
  [`${v1}policy: { rules: [{ decide: ask, notify: everybody }] }`, 'policy.rules[0].notify'],
  [`${v1}policy: { rules: [{ decide: allow, notify: local }] }`, 'policy.rules[0].notify'],
  [`${v1}telemetry: {}`, 'telemetry.endpoint is missing; write the address of a collector'],
  [`${v1}telemetry: { endpoint: "http://c:4318", sample: 2 }`, 'telemetry.sample is 2; write a number from 0 to 1'],
  [`${v1}telemetry: { endpoint: "http://c:4318", queue: 0 }`, 'telemetry.queue is 0; write a whole number above 0'],
  [`${v1}telemetry: { endpoint: "http://c:4318", send: [all] }`, 'write traces, metrics or logs'],
  [`${v1}telemetry: { endpoint: "ftp://c" }`, 'telemetry.endpoint begins with ftp:'],
  [`${v1}policy: { rules: [{ tool: x }] }`, 'policy.rules[0].decide is missing'],
  [`${v1}policy:`, 'policy is empty'],
  [`${v1}policy: { rules: [${Array(1_001).fill('{ decide: ask }')}] }`, 'There may be at most 1000 rules.'],
  [`${v1}clocks: { hold: "45" }`, 'clocks.hold is "45"'],
  [`${v1}clocks: { hold: 0s }`, 'clocks.hold is "0s"'],
  [`${v1}clocks: { question: 31d }`, 'clocks.question is "31d"; write 30d at most.'],
  [`${v1}limits: { bodyBytes: -1 }`, 'limits.bodyBytes is -1; write a whole number above 0.'],
  [`${v1}elicitation: { enabled: perhaps }`, 'elicitation.enabled is "perhaps"; write true or false.'],
  [`${v1}elicitation: { unseenWithin: soon }`, 'elicitation.unseenWithin is "soon"; write a whole number above 0'],
  [`${v1}elicitation: { urlBy: post }`, 'elicitation.urlBy is "post"; write push or error.'],
  [`${v1}clients: [{ lacks: [form] }]`, 'clients[0].name is missing; write what the client calls itself.'],
  [`${v1}clients: [{ name: x, lacks: [page] }]`, 'clients[0].lacks[0] is "page"; write form or url.'],
  [`${v1}clients: [{ name: x, meta: { key: a } }]`, 'clients[0].meta.contains is missing'],
  [`${v1}clients: [{ name: x, env: { value: 1 } }]`, 'clients[0].env.name is missing'],
  [`${v1}clients: { name: x }`, 'clients is a group of settings; write a list'],
  [`${v1}channels: [{ pager: {} }]`, 'channels[0].pager is not known; write webhook, mail, slack or push.'],
  [`${v1}channels: [{ push: {} }]`, 'channels[0].push.contact is missing'],
  [`${v1}channels: [{ push: { contact: ops@example.com } }]`, 'does not begin with mailto: or https://.'],
  [`${v1}channels: [{ slack: { to: { local: U012AB3CD } } }]`, 'channels[0].slack.token is missing'],
  [`${v1}channels: [{ slack: { token: x, to: { local: "#ops" } } }]`, 'is "#ops"; write one Slack user or channel'],
  [`${v1}channels: [{ slack: { token: x, team: T, to: {} } }]`, 'channels[0].slack.people is missing; buttons need'],
  [
    `${v1}channels: [{ slack: { token: x, team: T, signingSecret: s, people: { U012AB3CD: alice }, to: {} } }]`,
    'channels[0].slack.people.U012AB3CD is "alice"; write a participant',
  ],
  [
    `${v1}channels: [{ slack: { token: x, team: T, signingSecret: s, people: { U012AB3CD: local }, to: {} } }]`,
    'channels[0].slack.details must be true for buttons',
  ],
  [`${v1}channels: [{}]`, 'channels[0] names no channel; write { webhook:'],
  [`${v1}channels: [{ webhook: {}, mail: {} }]`, 'channels[0] names two channels'],
  [`${v1}channels: [{ mail: { smtp: "https://x" } }]`, 'channels[0].mail.smtp does not begin with smtps://'],
  [`${v1}channels: [{ mail: { smtp: "smtps://x" } }]`, 'channels[0].mail.from is missing'],
  [`${mailTo('{ alice: a@b }')}`, 'channels[0].mail.to.alice is for nobody; write local'],
  [`${mailTo('{ local: [a@b, "a@b, c@d"] }')}`, 'channels[0].mail.to.local[1] is "a@b, c@d"; write one mail address'],
  [`${mailTo('{ local: a@b }, quiet: { from: "22" , to: "07:00" }')}`, '"22" is not a time of day'],
  [`${mailTo('{ local: a@b }, quiet: { from: "22:00", to: "22:00" }')}`, 'two different times of day'],
  [`${mailTo('{ local: a@b }, quiet: { from: "1:00" }')}`, 'channels[0].mail.quiet.to is missing'],
  [
    `${mailTo('{ local: a@b }, quiet: { from: "22:00", to: "07:00", timeZone: Mars }')}`,
    '"Mars" is not a time zone. Write one such as Europe/Berlin.',
  ],
  [`${v1}channels: [{ webhook: { url: "https://x" } }]`, 'channels[0].webhook.secret is missing'],
  [`${v1}retain: { audit: for ever }`, 'retain.audit is "for ever"'],
  [`${v1}hooks: { token: secret }`, 'hooks.token is too short to be a secret; write 32 characters or more'],
  [`${v1}hooks: { participant: local }`, 'hooks.participant is "local"; without auth, leave it out'],
  [`${v1}hooks: { participant: a@https://b }`, 'hooks.participant is "a@https://b"; without auth, leave it out'],
  [`${v1}hooks: { hold: soon, allow: [here] }`, 'hooks.hold is "soon"; write a whole number'],
  [`${v1}metrics: { listen: everywhere }`, 'metrics.listen is "everywhere"; write a host and a port'],
  [`${v1}metrics: { listen: "127.0.0.1:4180" }`, 'metrics.listen is "127.0.0.1:4180"; listen is the same'],
  [`${v1}metrics: { allow: 10.0.0.1 }`, 'metrics.allow is text; write a list'],
  [
    `${v1}metrics: { listen: "0.0.0.0:1", allow: [10.0.0.0/33] }`,
    'metrics.allow[0] is "10.0.0.0/33"; write an IP address or a range, such as 10.0.0.0/8.',
  ],
  [`${v1}metrics: { listen: "0.0.0.0:1", allow: ["::1/129"] }`, 'metrics.allow[0] is "::1/129"'],
  [`${v1}metrics: { listen: "0.0.0.0:1", allow: [prometheus] }`, 'metrics.allow[0] is "prometheus"'],
  [`${v1}metrics: { allow: [10.0.0.0/8] }`, 'metrics.allow has no effect, since no other machine'],
  [`${v1}trustedProxies: 10.0.0.1`, 'trustedProxies is text; write a list'],
  [`${v1}trustedProxies: [balancer]`, 'trustedProxies[0] is "balancer"; write an IP address or a range'],
  [`${v1}trustedProxies: [10.0.0.1]`, 'trustedProxies needs auth: without a login, requests that a proxy passed on'],
  [`${v1}metrics: { alow: [] }`, 'metrics.alow is not known; did you mean allow?'],
  [`${v1}pages: { primaryColor: red }`, 'pages.primaryColor is "red"; write a colour'],
  [`${v1}pages: { prefix: "a/../b" }`, 'pages.prefix is "a/../b"'],
  [`${v1}pages: { names: { form: "a/b" } }`, 'pages.names.form is "a/b"'],
  ['- a', 'the file must hold settings by name'],
  ['', 'version is missing'],
  ['a: 1\na: 2', 'this setting is written twice'],
  ['a: [1\nb: 2', 'Flow sequence'],
  ['a: *b', 'an alias (*name) cannot be resolved'],
  ['a: 1\n---\nb: 1', 'a second YAML document begins here'],
])('%j is refused with the remedy', async (text, message) => {
  const told = await wrongWith(text)
  expect(told.join('\n')).toContain(message)
  for (const line of told) expect(line).toMatch(/^assent\.yaml:\d+: .*[.?]$/)
})

test('JSON is read as well, and its lines are known', async () => {
  const json = '{\n\t"version": 1,\n\t"listen": "x"\n}\n'
  expect(await wrongWith(json, {}, 'assent.json')).toEqual([expect.stringMatching(/^assent\.json:3: listen is "x"/)])
})

test('a file that is not there is named', async () => {
  await expect(readConfig({ config: '/no/such/assent.yaml' })).rejects.toThrow(
    '/no/such/assent.yaml cannot be read: there is no such file.',
  )
})

test('what variables and secrets hold is in no message', async () => {
  const text = `version: "\${env:SECRET}"
listen: "\${env:SECRET}"
store: "postgrez://user:\${env:SECRET}@x"
auth: { issuer: "\${env:SECRET}", audience: [hunter2], clientSecret: { a: hunter2 }, jwksUri: "https://u:hunter2@x" }
servers:
  a: { url: "https://u:hunter2@x", headers: { Authorization: [hunter2] } }
  b: { command: x, env: { KEY: { hunter2: 1 } }, args: [[hunter2]] }
channels: [{ webhook: { url: "hunter2", secret: [hunter2] } }]
clocks: { hold: "\${env:SECRET}" }
limits: { bodyBytes: "\${env:SECRET}" }
pages: { primaryColor: "\${env:SECRET}" }
policy: { mode: "\${env:SECRET}", rules: [{ decide: "\${env:SECRET}" }] }
`
  const told = await wrongWith(text, { SECRET: 'hunter2' })
  expect(told.length).toBeGreaterThan(12)
  expect(told.join('\n')).not.toContain('hunter2')
  expect(told.join('\n')).toContain(`clocks.hold is "\${env:SECRET}"`)
  expect((await wrongWith('secret: "hunter2\nb: 1')).join('\n')).not.toContain('hunter2')
})

test('a variable that is not set is named; one may say what holds otherwise', async () => {
  expect(await wrongWith(`${v1}pages: { title: "a \${env:NOT_SET} b" }`)).toEqual([
    `assent.yaml:2: pages.title needs the environment variable NOT_SET, which is not set; set it, or write \${env:NOT_SET:-default}.`,
  ])
  expect((await wrongWith(`${v1}pages: { title: "\${env:}" }`))[0]).toContain(`write it as \${env:NAME}`)
  expect((await read(`${v1}pages: { title: "\${env:NOT_SET:-x} \${HOME}" }`)).pages.title).toBe(`x \${HOME}`)
})

test('what other clients are told of tools is read: which are disabled, and which they call without asking', async () => {
  const text = `version: 1
mcpServers:
  files: { command: x, disabledTools: [write_file], alwaysAllow: [read_file, "list_*"], autoApprove: [read_file] }
  all: { command: x, autoApprove: true, alwaysAllow: false }
policy: { rules: [{ tool: read_file, decide: ask }] }
`
  const { servers, policy } = await read(text)
  expect(servers.get('files')).toMatchObject({ disabledTools: ['write_file'], pastedAllow: ['read_file', 'list_*'] })
  expect(servers.get('all')?.pastedAllow).toEqual(['*'])
  expect(policy.rules).toHaveLength(1)
  // The rules of the file stay first.
  expect((await read(text, {}, { allowPasted: true })).policy.rules).toEqual([
    { tool: 'read_file', decide: 'ask' },
    { server: 'files', tool: ['read_file', 'list_*'], decide: 'allow' },
    { server: 'all', tool: ['*'], decide: 'allow' },
  ])
  expect(await wrongWith(`${v1}servers: { a: { command: x, disabledTools: true } }`)).toHaveLength(1)
})

test('a pasted mcpServers block works: disabled entries are skipped, variables are filled in, names become ids', async () => {
  const config = await read(
    `version: 1
mcpServers:
  My Server: { type: stdio, command: npx, args: ["\${A}", "\${B:-b}"], autoApprove: [x], timeout: 60 }
  off: { command: x, disabled: true, env: { K: "\${env:NOT_SET}" } }
  off too: { command: x, enabled: false }
  remote_one: { transport: streamable-http, url: "http://10.0.0.5/mcp" }
  theirs: { httpUrl: "https://x.example/mcp" }
`,
    { A: 'a' },
  )
  expect([...config.servers.keys()]).toEqual(['my-server', 'remote-one', 'theirs'])
  expect(config.servers.get('my-server')).toMatchObject({ name: 'My Server', args: ['a', 'b'] })
  expect(config.renamed).toEqual([
    { name: 'My Server', id: 'my-server' },
    { name: 'remote_one', id: 'remote-one' },
  ])
  expect(await wrongWith(`${v1}mcpServers: { a: { command: x, env: { K: "\${input:k}" } } }`)).toEqual([
    `assent.yaml:2: mcpServers.a.env.K has an \${input:…}, which only its own client can ask for; use \${env:NAME} instead.`,
  ])
})

test('the command line wins over the file', async () => {
  const text = `${v1}store: sqlite:a.db\nlisten: 127.0.0.1:5000`
  expect(await read(text, {}, { store: 'memory:', port: 6000 })).toMatchObject({
    store: 'memory:',
    listen: { port: 6000 },
    publicUrl: 'http://127.0.0.1:6000',
  })
  expect(await read(`${text}\npublicUrl: http://localhost:7000`, {}, { port: 6000 })).toMatchObject({
    listen: { port: 6000 },
    publicUrl: 'http://localhost:7000',
  })
})

test('where things are kept can be had without the rest of the file', async () => {
  const { file, folder } = await written(`store: "sqlite:\${env:NAME}.db"\npages: { title: "\${env:NOT_SET}" }`)
  expect(await readStoreAddress({ config: file }, { NAME: 'a' })).toBe(`sqlite:${folder}/a.db`)
  expect(await readStoreAddress({ config: file, store: 'memory:' }, {})).toBe('memory:')
  await expect(readStoreAddress({ config: file }, {})).rejects.toThrow(':1: store needs the environment variable NAME')
  const { file: bad } = await written('a: b\nstore: mysql://u:hunter2@x')
  await expect(readStoreAddress({ config: bad }, {})).rejects.toThrow(
    /assent\.yaml:2: store is not the address of a store; write memory:, sqlite:<path>, postgres:\/\/… or redis:\/\/…\.$/,
  )
})

test('a rule that cannot be read hides no other fault of the policy', async () => {
  const told = await wrongWith(`${v1}policy:
  rules:
    - allow
    - { tool: x }
    - { decide: ask, expires: soon, toool: x }
    - { decide: ask, approvers: ["group:admins"] }
    - { decide: ask, when: "1 +" }
`)
  expect(told.map((line) => line.replace(/^assent\.yaml:(\d+): (\S+).*$/, '$1 $2'))).toEqual([
    '4 policy.rules[0]',
    '5 policy.rules[1].decide',
    '6 policy.rules[2].toool:',
    '6 policy.rules[2].expires:',
    '7 policy.rules[3].approvers',
    '8 policy.rules[4].when:',
  ])
})

test('what is wrong inside a provider or a rule is told with its line, and quotes no variable', async () => {
  const told = await wrongWith(
    `${v1}providers:
  notes:
    issuer: "\${env:ISSUER}"
    clientId: a
  other: { apiKey: true, feldLabel: x }
policy:
  rules:
    - decide: allow
      toool: x
clocks: { hold: 1 }
`,
    { ISSUER: 'http://hunter2.example' },
  )
  expect(told.map((line) => line.split(':')[1])).toEqual(['4', '6', '10', '11'])
  expect(told[0]).toContain(`"\${env:ISSUER}"`)
  expect(told[1]).toContain('feldLabel')
  expect(told[2]).toContain('toool')
  expect(told.join()).not.toContain('hunter2')
})

test('clients and how they are asked', async () => {
  const clients = `clients:
  - { name: sleepy, until: 2.1, lacks: [form, url], unseenWithin: 2s, messageLines: 3, wantsElicitationId: true }
  - { name: "bot-*", userAgent: headless, meta: { key: mode, contains: exec }, env: { name: CI, value: 1 }, urlBy: error }
`
  const config = await read(`${v1}elicitation: { unseenWithin: 500ms, urlBy: error }\n${clients}`)
  expect(config.elicitation).toEqual({ enabled: true, unseenWithin: 500, urlBy: 'error' })
  expect(config.clients).toEqual([
    {
      name: 'sleepy',
      until: '2.1',
      lacks: ['form', 'url'],
      unseenWithin: 2_000,
      messageLines: 3,
      wantsElicitationId: true,
    },
    {
      name: 'bot-*',
      userAgent: 'headless',
      meta: { key: 'mode', contains: 'exec' },
      env: { name: 'CI', value: '1' },
      urlBy: 'error',
    },
  ])
})

describe('accounts of a server with a url', () => {
  const read = async (server: string) => {
    const { servers } = await readConfig({ config: (await written(`${v1}servers: { notes: { ${server} } }`)).file }, {})
    const { provider, discovers } = servers.get('notes') as { provider?: string; discovers?: boolean }
    return { provider, discovers }
  }

  test.each([
    'url: "https://notes.example.com/mcp"',
    'url: "http://127.0.0.1:9/mcp"',
    'url: "https://x", provider: auto',
  ])('are those of the login that it names (%s)', async (server) => {
    expect(await read(server)).toEqual({ provider: 'notes', discovers: true })
  })

  test.each([
    'url: "http://notes.example.com/mcp"',
    'url: "https://x", headers: { authorization: "Bearer x" }',
    'url: "https://x", provider: none',
    'command: node',
  ])('are none (%s)', async (server) => {
    expect(await read(server)).toEqual({ provider: undefined, discovers: undefined })
  })

  test('never mix with a provider of the same name', async () => {
    const text = `${v1}servers: { notes: { url: "https://x" } }\nproviders: { notes: { apiKey: true } }`
    const { servers } = await readConfig({ config: (await written(text)).file }, {})
    expect(servers.get('notes')?.provider).toBe('notes-account')
  })

  test.each([
    ['command: node, provider: auto', 'only a server with a url'],
    ['url: "http://x.example/mcp", provider: auto', 'is plain http'],
  ])('cannot be found for every server (%s)', async (server, words) => {
    await expect(read(server)).rejects.toThrow(words)
  })
})
