import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Check, requiredScenarios, runSuite, type SuiteRun, startEverything } from './suite.ts'

const latest = '0.2.0-alpha.12'
const runs = {
  '2026-07-28': { release: latest, args: ['--requirements', '2026-07-28'], scenarios: 37, checks: 118 },
  '2025-11-25': { release: latest, args: ['--requirements', '2025-11-25'], scenarios: 30, checks: 70 },
  '2025, by release 0.1.16': { release: '0.1.16', args: [], scenarios: 30, checks: 40 },
} as const
type Run = keyof typeof runs

const found = new Map<string, SuiteRun>()
let everything: Awaited<ReturnType<typeof startEverything>>

beforeAll(async () => {
  everything = await startEverything()
  // One after the other: they time each other's streams.
  for (const [name, { release, args }] of Object.entries(runs)) {
    found.set(name, await runSuite(release, args, everything.url))
  }
})

afterAll(async () => {
  expect(await everything.stop()).toBe(0)
})

describe('the official conformance suite finds nothing wrong with examples/everything', () => {
  test.each(Object.keys(runs) as Run[])('in what it requires for %s', async (name) => {
    const { ok, summary, scenarios } = runOf(name)
    // The older release runs nothing else than what it requires.
    const required = runs[name].release === latest ? await requiredScenarios(name) : [...scenarios.keys()]
    const checks = required.flatMap((scenario) => scenarios.get(scenario) ?? [])

    expect(ok, summary).toBe(true)
    expect(failuresIn(scenarios, required)).toEqual([])
    expect(required).toHaveLength(runs[name].scenarios)
    expect(required.filter((scenario) => !scenarios.has(scenario))).toEqual([])
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(runs[name].checks)
  })

  test('nor in what it looks at besides, but for tasks, which are an extension', () => {
    for (const name of Object.keys(runs)) {
      const { scenarios } = runOf(name)
      const others = [...scenarios.keys()].filter((scenario) => !scenario.startsWith('tasks-'))
      expect(failuresIn(scenarios, others)).toEqual([])
    }
  })
})

/** Checks of the suite that show a rule of the protocol; all of a scenario's, where none is named. */
interface Shown {
  readonly rule: string
  readonly scenario: string
  readonly checks?: RegExp
}

const shown: Shown[] = [
  { rule: 'missing _meta is -32602 and 400 (B26-08)', scenario: 'server-stateless', checks: /meta-invalid/ },
  {
    rule: 'clientInfo may be missing (B26-09)',
    scenario: 'server-stateless',
    checks: /client-info-optional|identifies/,
  },
  { rule: 'what a client lacks is -32021 and 400 (B26-10)', scenario: 'server-stateless', checks: /capability/ },
  { rule: 'no log goes out unasked (B26-11)', scenario: 'server-stateless', checks: /no-log-without-loglevel/ },
  { rule: 'no request goes out on a stream (B26-14, H26-09)', scenario: 'server-stateless', checks: /no-independent/ },
  { rule: 'server/discover is there (V26-01)', scenario: 'server-stateless', checks: /discover/ },
  {
    rule: 'an unknown version is -32022 and 400 (V26-02)',
    scenario: 'server-stateless',
    checks: /unsupported-version/,
  },
  {
    rule: 'an unknown method is -32601 and 404 (H26-12)',
    scenario: 'server-stateless',
    checks: /method-not-found-404/,
  },
  {
    rule: 'listening is acknowledged, tagged and filtered (L26-01)',
    scenario: 'server-stateless',
    checks: /subscription-ack|subscription-id|notification-filter/,
  },
  { rule: 'headers that differ from the body are refused (H26-06)', scenario: 'http-header-validation' },
  { rule: 'so are Mcp-Param headers (H26-06, H26-14)', scenario: 'http-custom-header-server-validation' },
  { rule: 'foreign hosts and pages stay out (H26-01)', scenario: 'dns-rebinding-protection' },
  { rule: 'what may be cached says how long and for whom (U26-04)', scenario: 'caching' },
  { rule: 'schemas keep every word of JSON Schema 2020-12 (B26-12)', scenario: 'json-schema-2020-12' },
  { rule: 'progress rises (X26-04)', scenario: 'tools-call-with-progress' },
  { rule: 'every result has its type (B26-02)', scenario: 'input-required-result-result-type' },
  { rule: 'nothing else than the three methods asks (M26-02)', scenario: 'input-required-result-unsupported-methods' },
  { rule: 'a state that was tampered with is refused (M26-07)', scenario: 'input-required-result-tampered-state' },
  { rule: 'only what the client declared is asked (M26-12)', scenario: 'input-required-result-capability-check' },
  { rule: 'answers are validated (M26-18)', scenario: 'input-required-result-validate-input' },
  { rule: 'unknown answers are ignored (M26-19)', scenario: 'input-required-result-ignore-extra-params' },
  { rule: 'missing answers are asked for again (M26-20)', scenario: 'input-required-result-missing-input-response' },
]

const shownFor2025: Shown[] = [
  { rule: 'a session ends when it is deleted (H11-02, H11-03)', scenario: 'server-session-lifecycle' },
  { rule: 'its id is visible ASCII (H11-01)', scenario: 'server-initialize' },
  { rule: 'foreign hosts and pages stay out (H11-10)', scenario: 'dns-rebinding-protection' },
  { rule: 'forms have every kind of choice (E11-15)', scenario: 'elicitation-sep1330-enums' },
]

describe('its checks show for 2026-07-28 that', () => {
  test.each(shown.map((row) => [row.rule, row] as const))('%s', (_, row) => isShown('2026-07-28', row))
})

describe('its checks show for 2025-11-25 that', () => {
  test.each(shownFor2025.map((row) => [row.rule, row] as const))('%s', (_, row) => isShown('2025-11-25', row))
})

function isShown(revision: Run, { scenario, checks = /./ }: Shown): void {
  const all = runOf(revision).scenarios.get(scenario) ?? []
  const seen = all.filter(({ id, status }) => checks.test(id) && status !== 'INFO')
  expect(seen).not.toEqual([])
  expect(seen.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
}

function runOf(name: string): SuiteRun {
  const run = found.get(name)
  if (run === undefined) throw new Error(`The suite did not run for ${name}.`)
  return run
}

function failuresIn(scenarios: ReadonlyMap<string, readonly Check[]>, names: readonly string[]): string[] {
  return names.flatMap((name) =>
    (scenarios.get(name) ?? [])
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage}`),
  )
}
