/** What can be sent to a collector. */
export const signals = ['traces', 'metrics', 'logs'] as const
export type Signal = (typeof signals)[number]

/** Where telemetry goes, and what of it. */
export interface TelemetryOptions {
  /** Where each signal is posted to, by OTLP over HTTP with JSON. One that is left out is not sent. */
  readonly endpoints: Partial<Readonly<Record<Signal, string>>>
  /** Headers of each request, such as the key of a service. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly serviceVersion: string
  /** Tells the processes of one service apart. */
  readonly instance: string
  /** The share of new traces that are sent, from 0 to 1. A trace that somebody else began is sent if they do. */
  readonly sample: number
  /** How often metrics are sent, in milliseconds. */
  readonly everyMs: number
  /** Spans, and events of the audit, that may wait to be sent. */
  readonly queue: number
  /** Receives what could not be sent, for the log. */
  onError(error: unknown): void
}
