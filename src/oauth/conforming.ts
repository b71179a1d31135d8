import type { CustomFetch } from 'openid-client'
import type { GuardedFetch, GuardedRequest } from '../base/guarded-fetch.ts'
import { isPlainObject } from '../base/json.ts'

interface ConformingOptions {
  readonly tokenEndpoint: string
  /** Whether id tokens are removed, where nothing is known that they could be checked against. */
  readonly dropIdToken: boolean
}

/** Corrects answers of token endpoints to follow RFC 6749: some servers send errors with the status 200. */
export function conforming(fetch: GuardedFetch, { tokenEndpoint, dropIdToken }: ConformingOptions): CustomFetch {
  return async (url, request) => {
    const response = await fetch(url, request as GuardedRequest)
    if (url !== tokenEndpoint || response.status !== 200) return response

    const body = await response
      .clone()
      .json()
      .catch(() => undefined)
    if (!isPlainObject(body)) return response
    if (typeof body.error === 'string' && body.access_token === undefined) return answer(body, 400)
    if (dropIdToken && body.id_token !== undefined) return answer({ ...body, id_token: undefined }, 200)
    return response
  }
}

function answer(body: Record<string, unknown>, status: number): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}
