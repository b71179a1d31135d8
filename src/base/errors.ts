/** Every way a promise of ours can break. Outer rooms translate these once, in one exhaustive switch. */
export type AssentErrorCode =
  | 'ask_refused'
  | 'asked_differently'
  | 'bad_argument'
  | 'bad_config'
  | 'bad_keys'
  | 'bad_policy'
  | 'bad_question'
  | 'bad_store_url'
  | 'channel_refused'
  | 'driver_missing'
  | 'form_asks_secret'
  | 'form_refused'
  | 'key_in_use'
  | 'key_missing'
  | 'login_unavailable'
  | 'not_found'
  | 'participant_mismatch'
  | 'provider_unavailable'
  | 'provider_unknown'
  | 'schema_newer'
  | 'seal_broken'
  | 'state_refused'
  | 'store_damaged'
  | 'store_unavailable'
  | 'too_many_open'

/** What an error may carry besides its message; both stay in the log. */
export interface ErrorContext {
  cause?: unknown
  detail?: string
}

/** A broken promise. `message` may be shown to anyone; `detail` and `cause` stay in the log. */
export abstract class AssentError extends Error {
  abstract readonly code: AssentErrorCode
  readonly detail: string | undefined

  constructor(message: string, context: ErrorContext = {}) {
    super(message, 'cause' in context ? { cause: context.cause } : undefined)
    this.name = new.target.name
    this.detail = context.detail
  }
}

/** A value handed in by the caller is not what the function takes. */
export class BadArgument extends AssentError {
  readonly code = 'bad_argument'
}

/** A setting cannot be used. `path` leads to it, from where the one who throws began to read. */
export class BadConfig extends AssentError {
  readonly code = 'bad_config'
  readonly path: readonly (string | number)[]

  constructor(message: string, path: readonly (string | number)[] = [], context: ErrorContext = {}) {
    super(message, context)
    this.path = path
  }
}
