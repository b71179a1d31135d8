import type { TelemetryOptions } from '../options.ts'
import { type KeyValue, keyValues, nanoseconds, resourceOf } from './values.ts'

interface Family {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: Sample[]
}

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface Times {
  readonly startMs: number
  readonly nowMs: number
}

const cumulative = 2
const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const labelPart = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** The metrics of `/metrics` as the body of a request to `/v1/metrics`: there is one place that counts. */
export function metricsBody(options: TelemetryOptions, text: string, times: Times): object {
  const scope = { name: 'assent', version: options.serviceVersion }
  const metrics = familiesIn(text).map((family) => ({
    name: family.name,
    description: family.help,
    ...dataOf(family, times),
  }))
  return { resourceMetrics: [{ resource: resourceOf(options), scopeMetrics: [{ scope, metrics }] }] }
}

function familiesIn(text: string): Family[] {
  const families = new Map<string, Family>()
  let help = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = line.slice(line.indexOf(' ', 7) + 1)
    if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = line.split(' ')
      families.set(name, { name, help, type, samples: [] })
    }
    const [, name, labels = '', value = ''] = (line.startsWith('#') ? null : sampleLine.exec(line)) ?? []
    if (name === undefined) continue
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
    family?.samples.push({ name, labels: labelsIn(labels), value: Number(value.replace('Inf', 'Infinity')) })
  }
  return [...families.values()]
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(labelPart)].map(([, name = '', value = '']) => [name, JSON.parse(`"${value}"`) as string]),
  )
}

function dataOf({ type, name, samples }: Family, times: Times): object {
  if (type === 'histogram') {
    return { histogram: { aggregationTemporality: cumulative, dataPoints: histograms(name, samples, times) } }
  }
  const dataPoints = samples
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...point(keyValues(labels), times), asDouble: value }))
  if (type === 'counter') return { sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } }
  return { gauge: { dataPoints } }
}

/** The buckets of Prometheus count everything below a bound, those of OTLP what is between two. */
function histograms(name: string, samples: readonly Sample[], times: Times): object[] {
  const points = new Map<
    string,
    { labels: Record<string, string>; below: [number, number][]; sum: number; count: number }
  >()
  for (const sample of samples) {
    const { le, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    const found = points.get(key) ?? { labels, below: [], sum: 0, count: 0 }
    points.set(key, found)
    if (sample.name === `${name}_sum`) found.sum = sample.value
    else if (sample.name === `${name}_count`) found.count = sample.value
    else found.below.push([Number(le?.replace('+Inf', 'Infinity')), sample.value])
  }
  return [...points.values()].map(({ labels, below, sum, count }) => ({
    ...point(keyValues(labels), times),
    count: String(count),
    sum,
    explicitBounds: below.map(([bound]) => bound).filter(Number.isFinite),
    bucketCounts: below.map(([, value], at) => String(value - (below[at - 1]?.[1] ?? 0))),
  }))
}

function point(attributes: KeyValue[], { startMs, nowMs }: Times): object {
  return { attributes, startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) }
}
