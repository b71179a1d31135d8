import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { hideSecrets } from './hide-secrets.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LogOptions {
  /** Default: `info`, which writes no line for each request. */
  readonly level?: LogLevel
  /** Default: stderr, for stdout may be a client's. */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream
}

/** Lines of JSON. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** A log in which no secret stands, whatever is handed to it. */
export function createLog({ level = 'info', destination = 'stderr' }: LogOptions = {}): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Errors are plain by then.
    serializers: { err: (error) => error },
    formatters: { level: (label) => ({ level: label }) },
    // Here nothing is text yet: what pino hides by path it finds at known depths only.
    hooks: {
      logMethod([first, ...rest], method) {
        const line = first instanceof Error ? { err: first } : first
        const hiddenRest = rest.map((item) => hideSecrets(item)) as [string?, ...unknown[]]
        method.apply(this, [hideSecrets(line) as object, ...hiddenRest])
      },
    },
  }
  if (typeof destination === 'object') return pino(options, destination)
  // At once: the lines before a crash are those that matter.
  return pino(options, pino.destination({ dest: destination === 'stdout' ? 1 : 2, sync: true }))
}
