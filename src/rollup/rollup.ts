/**
 * What is counted: calls by server, calls by tool, questions by purpose, questions about calls by tool, how long people took
 * to answer, questions that could not be put to the client, and what rules decided.
 */
export type RollupKind = 'calls' | 'tools' | 'asks' | 'asked' | 'waits' | 'fallbacks' | 'rules'

/** What is counted together: one hour, or one day. Both begin in UTC. */
export type RollupPeriod = 'hour' | 'day'

export const periodMs: Readonly<Record<RollupPeriod, number>> = { hour: 3_600_000, day: 24 * 3_600_000 }

/** How often something happened in one period. Counts of several processes are added up. */
export interface Rollup {
  readonly period: RollupPeriod
  readonly kind: RollupKind
  /** When the period began. */
  readonly from: Date
  /** The server it is about; empty where there is none. */
  readonly server: string
  /** The tool, purpose, reason, rule or waiting time; empty for all that were not counted by name. */
  readonly name: string
  readonly outcome: string
  readonly count: number
}

/** The sum over a span of time. */
export type RollupSum = Pick<Rollup, 'server' | 'name' | 'outcome' | 'count'>

/** The beginning of the period that a moment is in. */
export function periodOf(period: RollupPeriod, moment: Date): Date {
  const length = periodMs[period]
  return new Date(Math.floor(moment.getTime() / length) * length)
}

/** The longest time that each bucket of waiting times holds, in seconds. People take seconds to days. */
export const waitBounds = [
  1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400,
] as const
