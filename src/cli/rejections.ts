import { complain } from './print.ts'

/** What to do about a promise that was rejected while nobody waited for it: a bug, of which nothing else is known. */
type Decide = (error: unknown) => void

const broken = 70

/** A command that was run for one thing ends: its result may be wrong. */
const endCommand: Decide = (error) => {
  complain(`Assent failed, which is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exit(broken)
}

let decide = endCommand

/** Without a listener, Node would end the process, and with it the calls of everybody. */
export function watchRejections(): void {
  process.on('unhandledRejection', (error) => decide(error))
}

/** More than this many in a minute mean that something is broken for good. */
const mostInMinute = 10
const minute = 60_000

/**
 * A process that serves many goes on: whatever the promise belonged to has ended without an answer, and nothing runs that
 * was not decided and recorded before. A process that fails again and again ends, so that whoever supervises it starts it
 * anew.
 */
export function serveDespiteRejections(log: Decide): void {
  let recent: number[] = []
  decide = (error) => {
    log(error)
    const now = Date.now()
    recent = [...recent.filter((at) => at > now - minute), now]
    if (recent.length > mostInMinute) endCommand(error)
  }
}
