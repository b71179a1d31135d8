import { AssentError } from '../base/errors.ts'

/** A call got no answer that it needed: the person refused or took too long, or asking failed or was not safe. */
export class CallRefused extends AssentError {
  readonly code = 'ask_refused'
  readonly status: 'declined' | 'cancelled' | 'expired' | 'failed' | 'unsafe'
  constructor(status: CallRefused['status'], message: string) {
    super(message)
    this.status = status
  }
}
