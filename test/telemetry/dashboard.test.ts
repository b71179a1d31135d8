import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/observe/metrics.ts'

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
    readonly targets: readonly { readonly expr: string }[]
  }[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] }
}

const read = async () => JSON.parse(await readFile('deploy/grafana-dashboard.json', 'utf8')) as Dashboard

/** The metrics that an expression names, without what belongs to the language. */
const metricsIn = (expression: string) =>
  [...expression.matchAll(/\b(?:assent|process|nodejs)_\w+/g)].map(([name]) => name)

test('every metric that the dashboard of Grafana names is in /metrics, with its labels', async () => {
  const number = async () => 1
  const text = await createMetrics({ open: number, sessions: () => 1, parked: () => 1 }).text()
  const source = await readFile('src/observe/metrics.ts', 'utf8')
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  const { panels, templating } = await read()
  const expressions = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.map(({ query }) => query),
  ]
  const named = expressions.flatMap(metricsIn)
  expect(named.length).toBeGreaterThan(20)
  for (const name of named) {
    const family = name.replace(/_(bucket|sum|count)$/, '')
    expect([name, types.has(name) || types.get(family) === 'histogram']).toEqual([name, true])
  }
  const labels = expressions.flatMap((expression) =>
    [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
  )
  for (const label of labels.filter((one) => one !== 'le'))
    expect([label, source.includes(`'${label}'`)]).toEqual([label, true])
})

test('every metric of calls and questions is on the dashboard', async () => {
  const { panels } = await read()
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)))
  const text = await createMetrics().text()
  const own = [...text.matchAll(/^# TYPE (assent_\S+)/gm)].map(([, name = '']) => name)
  expect(own.filter((name) => !shown.some((one) => one.startsWith(name)))).toEqual(['assent_negotiated_total'])
})

test('no panel of the dashboard covers another', async () => {
  const taken = new Set<string>()
  for (const { gridPos } of (await read()).panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(x).toBeLessThan(24)
        expect(taken.has(`${x} ${y}`)).toBe(false)
        taken.add(`${x} ${y}`)
      }
    }
  }
})
