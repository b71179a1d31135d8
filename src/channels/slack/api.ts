import { FetchFailed, type GuardedFetch } from '../../base/guarded-fetch.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { SendFailure } from '../delivery/retry.ts'

/** How one call of Slack's Web API ended. */
export type Called = { readonly result: JsonObject } | { readonly failure: SendFailure }

/** Calls a method of Slack's Web API. */
export type SlackApi = (method: string, body: JsonObject, signal?: AbortSignal) => Promise<Called>

/** Errors of Slack that may be over when it is tried again. All others would come again. */
const passing = new Set(['ratelimited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])

/** `base` is `https://slack.com/api` unless a test says otherwise. */
export function slackApi(base: string, token: string, fetch: GuardedFetch): SlackApi {
  return async (method, body, signal) => {
    try {
      const reply = await fetch(`${base}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      })
      if (!reply.ok) return { failure: { reason: `Slack answered ${reply.status}`, isFinal: false } }
      return read(await reply.text())
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error
      return { failure: { reason: error.message, isFinal: error.reason === 'redirected' } }
    }
  }
}

function read(text: string): Called {
  const result = parsed(text)
  if (result === undefined) return { failure: { reason: 'Slack answered with no JSON', isFinal: false } }
  if (result.ok === true) return { result }
  // An error is a word such as channel_not_found. Anything else is not repeated.
  const error = typeof result.error === 'string' && /^\w{1,60}$/.test(result.error) ? result.error : 'unknown'
  return { failure: { reason: `Slack refused it: ${error}`, isFinal: !passing.has(error) } }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
