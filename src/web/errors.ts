import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { AssentError, type AssentErrorCode } from '../base/errors.ts'
import type { NoticePageProps } from './pages/props.ts'

/** What a browser gets for an error. */
export interface ErrorNotice {
  readonly status: ContentfulStatusCode
  readonly notice: NoticePageProps
  /** Whether the error is reported to `onError`: it is a fault of this installation, not of the request. */
  readonly isLogged: boolean
}

const notFound: ErrorNotice = { status: 404, notice: { kind: 'not-found' }, isLogged: false }
const broken: ErrorNotice = { status: 500, notice: { kind: 'broken' }, isLogged: true }

/** Translates an error for the browser. Shows nothing of an error that is not an `AssentError`. */
export function noticeFor(error: unknown): ErrorNotice {
  return error instanceof AssentError ? noticeForCode(error.code, error.message) : broken
}

function noticeForCode(code: AssentErrorCode, message: string): ErrorNotice {
  switch (code) {
    // One answer for all three, so that nobody learns whether someone else was asked a question.
    case 'not_found':
    case 'participant_mismatch':
    case 'provider_unknown':
      return notFound
    case 'channel_refused':
      return { status: 403, notice: { kind: 'broken', detail: message }, isLogged: false }
    case 'login_unavailable':
      return { status: 503, notice: { kind: 'login-failed', detail: message }, isLogged: true }
    case 'provider_unavailable':
      return { status: 503, notice: { kind: 'connect-failed', detail: message }, isLogged: true }
    case 'store_unavailable':
      return { status: 503, notice: { kind: 'broken' }, isLogged: true }
    case 'ask_refused':
    case 'asked_differently':
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
    case 'key_missing':
    case 'schema_newer':
    case 'seal_broken':
    case 'state_refused':
    case 'store_damaged':
    case 'too_many_open':
      return broken
  }
}
