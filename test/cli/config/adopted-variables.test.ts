import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../../src/cli/config/config.ts'
import { readConfig } from '../../../src/cli/config/read.ts'
import { adoptedNotes } from '../../../src/cli/config/start-warnings.ts'
import { temporaryFolder } from '../../support/temporary.ts'

type Env = Readonly<Record<string, string>>

async function read(env: Env, settings = ''): Promise<Config> {
  const file = join(await temporaryFolder(), 'assent.yaml')
  await writeFile(file, `version: 1\n${settings}`)
  return readConfig({ config: file }, env)
}

const wrongWith = (env: Env, settings?: string) =>
  read(env, settings).then(
    () => 'nothing',
    ({ message }: Error) => message,
  )

const all: Env = {
  ELICITATION_CALLBACK_URL: 'http://localhost:8000/oauth/callback',
  ELICITATION_TIMEOUT_SECONDS: '300',
  MCPGATEWAY_ELICITATION_ENABLED: 'False',
  MCPGATEWAY_ELICITATION_TIMEOUT: '60',
  MCPGATEWAY_ELICITATION_MAX_CONCURRENT: '7',
}

describe('a variable of another program', () => {
  test('is read where no setting says otherwise', async () => {
    const config = await read(all, 'clocks:\nlimits: { asksPerMinute: 5 }\n')
    expect(config).toMatchObject({
      callbackUrl: 'http://localhost:8000/oauth/callback',
      clocks: { question: 300_000, browserFlow: 300_000, track: 300_000, upstreamAsk: 60_000, hold: 45_000 },
      elicitation: { enabled: false, urlBy: 'push' },
      limits: { openPerRequester: 7, asksPerMinute: 5 },
    })
    expect(adoptedNotes(config)).toHaveLength(5)
    expect(adoptedNotes(config)[1]).toBe(
      'clocks.question, clocks.browserFlow and clocks.track come from the environment variable ELICITATION_TIMEOUT_SECONDS, as the settings say nothing of them.',
    )
  })

  test('changes nothing that the file says, and is then not even checked', async () => {
    const config = await read(
      { ...all, MCPGATEWAY_ELICITATION_TIMEOUT: 'never', MCPGATEWAY_ELICITATION_ENABLED: 'perhaps' },
      `callbackUrl: https://example.com/back
clocks: { question: 1h, upstreamAsk: 2m }
elicitation: { enabled: true }
limits: { openPerRequester: 9 }
`,
    )
    expect(config).toMatchObject({
      callbackUrl: 'https://example.com/back',
      clocks: { question: 3_600_000, browserFlow: 300_000, track: 300_000, upstreamAsk: 120_000 },
      elicitation: { enabled: true },
      limits: { openPerRequester: 9 },
    })
    expect(config.adopted).toEqual([
      { variable: 'ELICITATION_TIMEOUT_SECONDS', settings: ['clocks.browserFlow', 'clocks.track'] },
    ])
  })

  test('that is empty or absent is none', async () => {
    const empty = Object.fromEntries(Object.keys(all).map((name) => [name, '']))
    expect(await read(empty)).toMatchObject({
      clocks: { track: 300_000, question: 600_000 },
      elicitation: { enabled: true },
      adopted: [],
    })
    expect(adoptedNotes(await read({}))).toEqual([])
  })

  test.each([
    ['ELICITATION_TIMEOUT_SECONDS', '0', 'write a whole number of seconds from 1 to 2592000, or unset it'],
    ['ELICITATION_TIMEOUT_SECONDS', '2592001', 'from 1 to 2592000'],
    ['ELICITATION_TIMEOUT_SECONDS', '5m', 'write a whole number of seconds'],
    ['MCPGATEWAY_ELICITATION_TIMEOUT', '-1', 'write a whole number of seconds'],
    ['MCPGATEWAY_ELICITATION_TIMEOUT', '1e3', 'write a whole number of seconds'],
    ['MCPGATEWAY_ELICITATION_ENABLED', 'maybe', 'write true or false, or unset it'],
    ['MCPGATEWAY_ELICITATION_MAX_CONCURRENT', 'many', 'write a whole number above 0'],
    ['ELICITATION_CALLBACK_URL', 'http://example.com/oauth/callback', 'is plain http'],
    ['ELICITATION_CALLBACK_URL', '/oauth/callback', 'is not a full url'],
  ])('whose value cannot be used stops the start with the remedy: %s=%s', async (name, value, remedy) => {
    expect(await wrongWith({ [name]: value })).toMatch(new RegExp(`^environment: ${name} .*${remedy}`))
  })

  test('is told together with what is wrong in the file', async () => {
    const message = await wrongWith({ MCPGATEWAY_ELICITATION_ENABLED: 'maybe' }, 'lisen: x\n')
    expect(message.split('\n')).toEqual([
      'environment: MCPGATEWAY_ELICITATION_ENABLED is "maybe"; write true or false, or unset it.',
      expect.stringContaining('assent.yaml:2: lisen is not known; did you mean listen?'),
    ])
  })

  test('leaves a section alone that holds no settings', async () => {
    expect(await wrongWith(all, 'clocks: 5\n')).toContain('clocks is a number; write settings by name')
  })
})
