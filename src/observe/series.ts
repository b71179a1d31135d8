/** Label values, in the order of the names of the series. No value holds text of a stranger. */
type Values = readonly string[]

interface SeriesOptions {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

/** What a series has for one combination of label values. */
interface Sample<State> {
  readonly values: Values
  readonly state: State
}

/**
 * Numbers under one name in the format of Prometheus, one for each combination of label values. Counting is a look into
 * a map: every call counts three times, and text is made only when somebody reads it.
 */
abstract class Series<State> {
  readonly #options: SeriesOptions
  readonly #type: string
  readonly #samples = new Map<string, Sample<State>>()

  constructor(type: string, options: SeriesOptions) {
    this.#type = type
    this.#options = options
  }

  protected abstract begin(): State
  protected abstract lines(name: string, labels: readonly string[], state: State): string[]

  protected stateOf(values: Values): State {
    const key = values.length === 1 ? (values[0] as string) : values.join('\n')
    const known = this.#samples.get(key)
    if (known !== undefined) return known.state
    const state = this.begin()
    this.#samples.set(key, { values, state })
    return state
  }

  text(): string {
    const { name, help, labels = [] } = this.#options
    // A series without labels has its number from the beginning.
    if (labels.length === 0) this.stateOf([])
    const samples = [...this.#samples.values()].flatMap(({ values, state }) =>
      this.lines(
        name,
        labels.map((label, at) => `${label}=${JSON.stringify(values[at] ?? '')}`),
        state,
      ),
    )
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${this.#type}`, ...samples].join('\n')
  }
}

/** A number that only grows, or one that is set. */
export class Numbers extends Series<{ value: number }> {
  protected begin(): { value: number } {
    return { value: 0 }
  }

  protected lines(name: string, labels: readonly string[], { value }: { value: number }): string[] {
    return [sample(name, labels, value)]
  }

  add(...values: string[]): void {
    this.stateOf(values).value += 1
  }

  grow(by: number, ...values: string[]): void {
    this.stateOf(values).value += by
  }

  set(value: number, ...values: string[]): void {
    this.stateOf(values).value = value
  }
}

interface Observed {
  /** How many were at most as large as each bound, and larger than the one before; the last: larger than all. */
  readonly counts: number[]
  sum: number
  count: number
}

/** How values are distributed. */
export class Histogram extends Series<Observed> {
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[], options: SeriesOptions) {
    super('histogram', options)
    this.#bounds = bounds
  }

  protected begin(): Observed {
    return { counts: [...this.#bounds, 0].fill(0), sum: 0, count: 0 }
  }

  protected lines(name: string, labels: readonly string[], { counts, sum, count }: Observed): string[] {
    let below = 0
    const buckets = this.#bounds.map((bound, at) => {
      below += counts[at] ?? 0
      return sample(`${name}_bucket`, [...labels, `le="${bound}"`], below)
    })
    return [
      ...buckets,
      sample(`${name}_bucket`, [...labels, 'le="+Inf"'], count),
      sample(`${name}_sum`, labels, sum),
      sample(`${name}_count`, labels, count),
    ]
  }

  observe(value: number, ...values: string[]): void {
    const state = this.stateOf(values)
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] as number)) at += 1
    state.counts[at] = (state.counts[at] ?? 0) + 1
    state.sum += value
    state.count += 1
  }
}

function sample(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${Number.isNaN(value) ? 'NaN' : value}`
}
