import { CommanderError } from 'commander'
import { AssentError, type AssentErrorCode } from '../base/errors.ts'
import { complain } from './print.ts'
import { watchRejections } from './rejections.ts'

/** The exit codes. 1 means that the command ran and the answer is no. */
export const exitCodes = { no: 1, misuse: 2, unavailable: 3, broken: 70 } as const

/** Runs a command to its end. An error is printed as its message, never as a stack, and sets the exit code. */
export async function runningCommand(run: () => Promise<unknown>): Promise<void> {
  watchRejections()
  // The reader of a pipe, such as `head`, may close it before the end.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
  })
  try {
    await run()
  } catch (error) {
    // Commander has printed the error, or the help that was asked for.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.misuse
      return
    }
    if (!(error instanceof AssentError)) {
      complain(`Assent failed, which is a bug: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = exitCodes.broken
      return
    }
    complain(error.message)
    if (error.detail !== undefined) complain(`  ${error.detail}`)
    process.exitCode = exitCodeOf(error.code)
  }
}

/** Why a file could not be read, for people. */
export function whyUnreadable(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such file'
    case 'EISDIR':
      return 'it is a folder'
    case 'EACCES':
      return 'you may not read it'
    default:
      return String((error as Error).message)
  }
}

function exitCodeOf(code: AssentErrorCode): number {
  switch (code) {
    case 'bad_argument':
    case 'bad_config':
    case 'bad_keys':
    case 'bad_policy':
    case 'bad_question':
    case 'bad_store_url':
    case 'driver_missing':
    case 'form_asks_secret':
    case 'form_refused':
    case 'key_in_use':
    case 'provider_unknown':
    case 'schema_newer':
      return exitCodes.misuse
    case 'ask_refused':
    case 'channel_refused':
    case 'not_found':
    case 'participant_mismatch':
    case 'too_many_open':
      return exitCodes.no
    case 'key_missing':
    case 'login_unavailable':
    case 'provider_unavailable':
    case 'store_damaged':
    case 'store_unavailable':
      return exitCodes.unavailable
    case 'asked_differently':
    case 'seal_broken':
    case 'state_refused':
      return exitCodes.broken
  }
}
