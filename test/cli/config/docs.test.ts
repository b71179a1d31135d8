import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaults } from '../../../src/cli/config/defaults.ts'
import { ignoredInServers, settingNames } from '../../../src/cli/config/names.ts'
import { pathText } from '../../../src/cli/config/problems.ts'
import { adoptedVariables } from '../../../src/cli/config/read/adopted-variables.ts'
import { hubClocks } from '../../../src/cli/config/read/hub.ts'
import { readConfig } from '../../../src/cli/config/read.ts'
import { defaultLimits } from '../../../src/elicitation/limits.ts'
import { defaultGatewayLimits } from '../../../src/gateway/options.ts'
import { defaultUpstreamLimits } from '../../../src/gateway/upstream/options.ts'
import { defaultHubLimits, defaultHubTimes } from '../../../src/hub/options.ts'
import { defaultHttpLimits } from '../../../src/mcp/http/limits.ts'
import { providerSettingNames } from '../../../src/oauth/settings/provider-settings.ts'
import { defaultPasskeyLimits } from '../../../src/passkey/desk.ts'
import { defaultRollupLimits } from '../../../src/rollup/count.ts'
import { tableUnder } from '../../support/tables.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const configuration = await readFile('docs/configuration.md', 'utf8')
const operation = await readFile('docs/operation.md', 'utf8')

/** Every value in nested settings, by its path. */
function leavesOf(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, one]): [string, unknown][] =>
    typeof one === 'object' && !Array.isArray(one) ? leavesOf(one, `${prefix}${name}.`) : [[`${prefix}${name}`, one]],
  )
}

/** The names in a cell, which are in backticks. */
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
const namesUnder = (heading: string) => tableUnder(configuration, heading).flatMap(([cell]) => namesIn(cell))
const sorted = (names: Iterable<string>) => [...new Set(names)].sort()

async function written(text: string): Promise<string> {
  const file = join(await temporaryFolder(), 'assent.yaml')
  await writeFile(file, text)
  return file
}

/** Sections with a heading of their own, and the settings of each. */
const sections: Readonly<Record<string, readonly string[]>> = {
  auth: [
    ...settingNames.auth.filter((name) => name !== 'proxy').map((name) => `auth.${name}`),
    ...settingNames.proxy.map((name) => `auth.proxy.${name}`),
  ],
  servers: [...settingNames.server, ...ignoredInServers],
  providers: Object.values(providerSettingNames).flat(),
  hub: [
    ...settingNames.participant.map((name) => `participant.${name}`),
    ...settingNames.capability.map((name) => `capability.${name}`),
    ...Object.keys(defaultHubLimits).map((name) => `limits.${name}`),
    ...Object.keys(defaultHubTimes).map((name) => `clocks.${name}`),
  ],
  channels: [
    ...settingNames.webhook.map((name) => `webhook.${name}`),
    ...settingNames.mail.map((name) => `mail.${name}`),
    ...settingNames.push.map((name) => `push.${name}`),
    ...settingNames.slack.map((name) => `slack.${name}`),
  ],
  clients: [
    ...settingNames.client.filter((name) => name !== 'meta' && name !== 'env').map((name) => `client.${name}`),
    ...settingNames.clientMeta.map((name) => `client.meta.${name}`),
    ...settingNames.clientEnv.map((name) => `client.env.${name}`),
  ],
}

test.each(Object.entries(sections))(
  'docs/configuration.md lists every setting of %s, and no other',
  (name, settings) => {
    expect(sorted(namesUnder(`## \`${name}\``))).toEqual(sorted(settings))
  },
)

test('docs/configuration.md lists every other setting, and no other', () => {
  const inside: Readonly<Record<string, readonly string[]>> = {
    policy: [...Object.keys(defaults.policy), 'extends', 'rules'],
    clocks: Object.keys(defaults.clocks),
    limits: Object.keys(defaults.limits),
    retain: Object.keys(defaults.retain),
    elicitation: settingNames.elicitation,
    metrics: settingNames.metrics,
    telemetry: settingNames.telemetry,
    hooks: settingNames.hooks,
    pages: settingNames.pages,
  }
  const known = settingNames.file
    .filter((name) => sections[name] === undefined && name !== 'mcpServers')
    .flatMap((name) => inside[name]?.map((one) => `${name}.${one}`) ?? [name])
  expect(sorted(namesUnder('## All settings'))).toEqual(sorted(known))
  expect(configuration).toContain('`mcpServers`')
})

test('docs/configuration.md lists every default as the code has it', () => {
  const listed = new Map(tableUnder(configuration, '## All settings').map(([name = '', value]) => [name, value]))
  for (const [name, value] of leavesOf(defaults)) {
    const text = Array.isArray(value) && value.length === 0 ? 'none' : `\`${value}\``
    expect([name, listed.get(`\`${name}\``)]).toEqual([name, text])
  }
})

test('docs/configuration.md lists every variable of other programs, and what it sets', () => {
  const listed = tableUnder(configuration, '## Variables of other programs').map(([name, sets]) => [
    namesIn(name)[0],
    namesIn(sets),
  ])
  const known = Object.entries(adoptedVariables).map(([name, { settings }]) => [name, settings.map(pathText)])
  expect(listed).toEqual(known)
})

test('the limits of assent.yaml have the defaults of createGateway', () => {
  const ofGateway: Record<string, number> = {
    ...defaultHttpLimits,
    ...defaultGatewayLimits,
    handshakeBytes: defaultUpstreamLimits.handshakeBytes,
    messageValues: defaultUpstreamLimits.messageValues,
  }
  const { limits } = defaults
  const others = [
    'openPerRequester',
    'openPerParticipant',
    'asksPerMinute',
    'pagesPerAddress',
    'pagesPerPerson',
    'passkeysPerPerson',
    'countedNames',
    'apiPerMinute',
    'tokensPerPerson',
    'pushesPerPerson',
  ]
  for (const [name, value] of Object.entries(limits)) {
    if (!others.includes(name)) expect([name, ofGateway[name]]).toEqual([name, value])
  }
  expect(ofGateway.bodyValues).toBe(limits.messageValues)
  expect(defaultUpstreamLimits.messageBytes).toBe(limits.bodyBytes)
})

test('docs/configuration.md and the reader have the defaults of createHub', async () => {
  const { hub } = await readConfig({ config: await written('version: 1\n') }, {})
  expect(hub).toEqual({ spaces: {}, limits: defaultHubLimits, times: defaultHubTimes })
  const said = new Map(
    tableUnder(configuration, '## `hub`').map(([name = '', words = '']) => [name, namesIn(words)[0]]),
  )
  const defaults = leavesOf({ limits: defaultHubLimits, clocks: hubClocks })
  expect(defaults.map(([name]) => [name, said.get(`\`${name}\``)])).toEqual(
    defaults.map(([name, value]) => [name, `${value}`]),
  )
})

test('the example of docs/configuration.md can be used', async () => {
  const example = configuration.split(/```(?:yaml)?\n/).find((block) => block.startsWith('version: 1')) ?? ''
  const { servers, providers } = await readConfig({ config: await written(example) }, { NOTES_SECRET: 'secret' })
  expect([...servers.keys()]).toEqual(['files', 'notes'])
  expect(Object.keys(providers)).toEqual(['notes', 'stripe'])
})

test('docs/operation.md lists every limit of createAssent with its default', () => {
  const listed = tableUnder(operation, '## Limits').map(([name = '', value = '']) => [
    namesIn(name)[0] ?? '',
    value.replaceAll(',', '').split(' ')[0],
  ])
  const limits = leavesOf({ limits: { ...defaultLimits, ...defaultPasskeyLimits, ...defaultRollupLimits } }).map(
    ([name, value]) => [name, String(value)],
  )
  expect(listed.filter(([name]) => name?.startsWith('limits.')).sort()).toEqual(limits.sort())
})
