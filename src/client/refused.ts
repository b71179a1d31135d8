import { AssentError } from '../base/errors.ts'

/** The person said no to what a call needed, or left; or it took too long, went wrong, or was not safe to ask. */
export class CallRefused extends AssentError {
  readonly code = 'ask_refused'
  readonly status: 'declined' | 'cancelled' | 'expired' | 'failed' | 'unsafe'
  constructor(status: CallRefused['status'], message: string) {
    super(message)
    this.status = status
  }
}
