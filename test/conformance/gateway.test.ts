import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gated } from '../support/gateway/gateways.ts'
import { type Check, requiredScenarios, runSuite, startEverything } from './suite.ts'

const latest = '0.2.0-alpha.12'
let everything: Awaited<ReturnType<typeof startEverything>>

beforeAll(async () => {
  everything = await startEverything()
})

afterAll(async () => {
  expect(await everything.stop()).toBe(0)
})

describe('the official conformance suite finds nothing wrong with the gateway in front of examples/everything', () => {
  test.each([
    ['2026-07-28', 37, 118],
    ['2025-11-25', 30, 70],
  ])(
    'in what it requires for %s',
    async (revision, count, least) => {
      const { url } = await gated({ everything: { url: new URL(everything.url) } })
      const run = await runSuite(latest, ['--requirements', revision], `${url.href}/everything`)
      const required = await requiredScenarios(revision)
      const checks = required.flatMap((scenario) => run.scenarios.get(scenario) ?? [])

      expect(failuresIn(run.scenarios)).toEqual([])
      expect(run.ok, run.summary).toBe(true)
      expect(required).toHaveLength(count)
      expect(required.filter((scenario) => !run.scenarios.has(scenario))).toEqual([])
      expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least)
    },
    110_000,
  )
})

/** Tasks are an extension, which neither side of the gateway is offered. */
function failuresIn(scenarios: ReadonlyMap<string, readonly Check[]>): string[] {
  return [...scenarios]
    .filter(([name]) => !name.startsWith('tasks-'))
    .flatMap(([name, checks]) =>
      checks
        .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
        .map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage}`),
    )
}
