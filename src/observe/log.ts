import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { hideSecrets } from './hide-secrets.ts'

/** From the most lines to none. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LogOptions {
  /** Default: `info`. Only `debug` writes a line for each request. */
  readonly level?: LogLevel
  /** Default: stderr, since stdout may carry MCP. */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream
}

/** A log that writes lines of JSON. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** A log that hides the secrets in whatever it is given. */
export function createLog({ level = 'info', destination = 'stderr' }: LogOptions = {}): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // `hideSecrets` has turned errors into plain objects already.
    serializers: { err: (error) => error },
    formatters: { level: (label) => ({ level: label }) },
    // Before anything is serialized: pino's own redaction works by path, and so at known depths only.
    hooks: {
      logMethod([first, ...rest], method) {
        const line = first instanceof Error ? { err: first } : first
        const hiddenRest = rest.map((item) => hideSecrets(item)) as [string?, ...unknown[]]
        method.apply(this, [hideSecrets(line) as object, ...hiddenRest])
      },
    },
  }
  if (typeof destination === 'object') return pino(options, destination)
  // Synchronous, so that the lines before a crash are not lost.
  return pino(options, pino.destination({ dest: destination === 'stdout' ? 1 : 2, sync: true }))
}
