import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { AssentError, type AssentErrorCode } from '../base/errors.ts'
import type { NoticePageProps } from './pages/props.ts'

/** What a browser is told of a broken promise. */
export interface Told {
  readonly status: ContentfulStatusCode
  readonly notice: NoticePageProps
  /** The log must know too. */
  readonly isOurs: boolean
}

const notFound: Told = { status: 404, notice: { kind: 'not-found' }, isOurs: false }
const broken: Told = { status: 500, notice: { kind: 'broken' }, isOurs: true }

/** Translates whatever was thrown. Nothing of an error of unknown origin is ever shown. */
export function toldOf(error: unknown): Told {
  return error instanceof AssentError ? toldOfCode(error.code, error.message) : broken
}

function toldOfCode(code: AssentErrorCode, message: string): Told {
  switch (code) {
    // Whose question it is, is told to nobody else.
    case 'not_found':
    case 'participant_mismatch':
    case 'provider_unknown':
      return notFound
    case 'channel_refused':
      return { status: 403, notice: { kind: 'broken', detail: message }, isOurs: false }
    case 'login_unavailable':
      return { status: 503, notice: { kind: 'login-failed', detail: message }, isOurs: true }
    case 'provider_unavailable':
      return { status: 503, notice: { kind: 'connect-failed', detail: message }, isOurs: true }
    case 'store_unavailable':
      return { status: 503, notice: { kind: 'broken' }, isOurs: true }
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
    case 'too_many_open':
      return broken
  }
}
