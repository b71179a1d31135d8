import type { Rollup, RollupKind, RollupPeriod, RollupSum } from './rollup.ts'

/** Periods that begin at `from` or later, and before `until`. */
export interface RollupSpan {
  readonly period: RollupPeriod
  readonly from: Date
  readonly until: Date
}

/** Keeps how often things happened. Many processes add to the same counts. A store never reads the clock. */
export interface RollupStore {
  /** Adds each count to what is kept of the same period, kind, moment, server, name and outcome; all of them or none. */
  add(rollups: readonly Rollup[]): Promise<void>
  /** What is kept of a kind, in the order of time. */
  list(kind: RollupKind, span: RollupSpan, limit: number): Promise<Rollup[]>
  /** The sums over the span by server, name and outcome, the largest first. */
  sum(kind: RollupKind, span: RollupSpan, limit: number): Promise<RollupSum[]>
  /** Deletes counts of periods that began before `moment`. Returns how many. */
  deleteBefore(period: RollupPeriod, moment: Date, limit: number): Promise<number>
}
