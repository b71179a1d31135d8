import { beforeAll, describe, expect, test } from 'vitest'
import { compiled } from '../support/programs.ts'
import { type Check, type releases, requiredScenarios, runClientScenario, type SuiteRun } from './suite.ts'

const latest = '0.2.0-alpha.12'
const program = compiled(new URL('./client-process.ts', import.meta.url))
const client = `${process.execPath} ${program}`

/** What each run of the suite looks at. Scenarios of logins are left out: logging in is the SDK's, and we add nothing to it. */
const runs = {
  '2026-07-28': {
    release: latest,
    command: client,
    args: ['--spec-version', '2026-07-28'],
    scenarios: [
      'tools_call',
      'request-metadata',
      'sep-2322-client-request-state',
      'http-standard-headers',
      'http-custom-headers',
      'http-invalid-tool-headers',
      'json-schema-ref-no-deref',
    ],
  },
  '2025-11-25': {
    release: latest,
    command: client,
    args: ['--spec-version', '2025-11-25'],
    scenarios: ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  },
  '2025, by release 0.1.16, through SDK 1.32': {
    release: '0.1.16',
    command: `${client} --sdk-1`,
    args: [],
    scenarios: ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  },
} as const satisfies Record<string, { release: keyof typeof releases; [more: string]: unknown }>
type Run = keyof typeof runs

const found = new Map<string, SuiteRun>()

beforeAll(async () => {
  // One after the other: the suite times how soon a client comes back.
  for (const [name, { release, command, args, scenarios }] of Object.entries(runs)) {
    for (const scenario of scenarios) {
      found.set(`${name} ${scenario}`, await runClientScenario(release, command, scenario, args))
    }
  }
})

describe('the official conformance suite finds nothing wrong with our client', () => {
  test.each(Object.keys(runs) as Run[])('of %s', (name) => {
    for (const scenario of runs[name].scenarios) {
      const { ok, summary } = runOf(name, scenario)
      expect(ok, summary).toBe(true)
      const checks = checksOf(name, scenario)
      expect(checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')).toEqual([])
      expect(checks.filter(({ status }) => status === 'SUCCESS')).not.toEqual([])
    }
  })

  test.each(['2026-07-28', '2025-11-25'] as const)('and looks at all that %s requires but logins', async (name) => {
    const required = (await requiredScenarios(name, 'client')).filter((scenario) => !scenario.startsWith('auth/'))
    expect([...runs[name].scenarios].sort()).toEqual(required.sort())
  })
})

const shown: { rule: string; run: Run; scenario: string; checks?: RegExp }[] = [
  {
    rule: 'each request says its version and what the client can (B26-08, B26-09, E26-01)',
    run: '2026-07-28',
    scenario: 'request-metadata',
    checks: /meta|client-info|elicitation/,
  },
  {
    rule: 'the header says the same version (H26-03)',
    run: '2026-07-28',
    scenario: 'request-metadata',
    checks: /version-header/,
  },
  {
    rule: 'refused, it comes back with a version that is served (V26-03)',
    run: '2026-07-28',
    scenario: 'request-metadata',
    checks: /retry-supported-version/,
  },
  {
    rule: 'a state goes back as it came, and none is added (M26-15)',
    run: '2026-07-28',
    scenario: 'sep-2322-client-request-state',
    checks: /state-echoed|no-state/,
  },
  {
    rule: 'under another id (M26-16)',
    run: '2026-07-28',
    scenario: 'sep-2322-client-request-state',
    checks: /id-different/,
  },
  {
    rule: 'and with no other request (M26-17)',
    run: '2026-07-28',
    scenario: 'sep-2322-client-request-state',
    checks: /isolation/,
  },
  {
    rule: 'no result without a type is retried (B26-03)',
    run: '2026-07-28',
    scenario: 'sep-2322-client-request-state',
    checks: /default-result-type/,
  },
  { rule: 'headers name the method and the tool (H26-04)', run: '2026-07-28', scenario: 'http-standard-headers' },
  { rule: 'unsafe values are encoded (H26-05)', run: '2026-07-28', scenario: 'http-custom-headers', checks: /base64/ },
  { rule: 'arguments are sent as headers (H26-13)', run: '2026-07-28', scenario: 'http-custom-headers' },
  { rule: 'bad tools are dropped (H26-13)', run: '2026-07-28', scenario: 'http-invalid-tool-headers' },
  { rule: 'no $ref is fetched (B26-12)', run: '2026-07-28', scenario: 'json-schema-ref-no-deref' },
  { rule: 'defaults are sent (E11-16)', run: '2025-11-25', scenario: 'elicitation-sep1034-client-defaults' },
  { rule: 'a stream that ended is taken up again, in its time (H11-08)', run: '2025-11-25', scenario: 'sse-retry' },
  { rule: 'it begins with initialize (V11-01)', run: '2025-11-25', scenario: 'initialize' },
]

test.each(shown.map((row) => [row.rule, row] as const))(
  'its checks show that %s',
  (_, { run, scenario, checks = /./ }) => {
    const seen = checksOf(run, scenario).filter(({ id, status }) => checks.test(id) && status !== 'INFO')
    expect(seen).not.toEqual([])
    expect(seen.filter(({ status }) => status !== 'SUCCESS' && status !== 'SKIPPED')).toEqual([])
  },
)

function runOf(name: Run, scenario: string): SuiteRun {
  const run = found.get(`${name} ${scenario}`)
  if (run === undefined) throw new Error(`The suite did not run ${scenario} for ${name}.`)
  return run
}

function checksOf(name: Run, scenario: string): readonly Check[] {
  return [...runOf(name, scenario).scenarios.values()].flat()
}
