import { isPlainObject } from '../../../base/json.ts'
import { defaultLimits } from '../../../elicitation/limits.ts'
import { toMillionths } from '../../limits/amount.ts'
import type { AmountLimit, CallLimit, Effect } from '../policy.ts'
import type { Reading, Settings } from '../reading.ts'
import { isArgumentPath } from './argument-path.ts'

const mostCalls = 1_000_000
/** Counted in millionths, this is still exact. */
const mostBudget = 1_000_000_000

/** How many calls a rule lets run without asking, in which time. */
export function readLimit(settings: Settings, reading: Reading): CallLimit | undefined {
  return settings.read('limit', (value, at) => {
    const given = reading.settings(value, at, ['calls', 'per'])
    requireAll(given, value, ['calls', 'per'])
    const calls = given.whole('calls', 1, mostCalls) ?? 1
    return Object.freeze({ calls, perMs: given.duration('per', defaultLimits.longestMs) ?? 1 })
  })
}

/** How much an argument may add up to before a rule asks, in which time. */
export function readBudget(settings: Settings, reading: Reading): AmountLimit | undefined {
  return settings.read('budget', (value, at) => {
    const given = reading.settings(value, at, ['of', 'max', 'per'])
    requireAll(given, value, ['of', 'max', 'per'])
    const of = given.text('of')
    if (of !== undefined && !isArgumentPath(of)) {
      given.report('of', 'This must be the path of an argument, such as args.amount or args.order.total.')
    }
    const max = given.read('max', (number) => {
      const counted =
        typeof number === 'number' && number > 0 && number <= mostBudget ? toMillionths(number) : undefined
      if (counted !== undefined && counted / 1e6 === number) return number
      return given.report('max', `This must be a number above 0 and up to ${mostBudget}, with at most 6 decimals.`)
    })
    return Object.freeze({
      of: of ?? 'args.amount',
      max: (max as number | undefined) ?? 1,
      perMs: given.duration('per', defaultLimits.longestMs) ?? 1,
    })
  })
}

/** A limit says when to ask about what is allowed otherwise, and nothing else. */
export function refuseUselessLimits(settings: Settings, decide: Effect | undefined): void {
  for (const name of ['limit', 'budget']) {
    if (!settings.has(name)) continue
    if (decide !== undefined && decide !== 'allow') {
      settings.report(name, `Only a rule that decides allow can have it: beyond it, the call is asked about.`)
    }
  }
}

function requireAll(given: Settings, value: unknown, names: readonly string[]): void {
  if (!isPlainObject(value)) return
  for (const name of names) if (!given.has(name)) given.report(name, `This must say "${name}".`)
}
