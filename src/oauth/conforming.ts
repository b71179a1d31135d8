import type { CustomFetch } from 'openid-client'
import type { GuardedFetch, GuardedRequest } from '../base/guarded-fetch.ts'
import { isPlainObject } from '../base/json.ts'

interface Ways {
  readonly tokenEndpoint: string
  /** An id token that cannot be judged is not read. */
  readonly dropIdToken: boolean
}

/** Brings what token endpoints answer into the shape that RFC 6749 gives it: an error never comes as a success. */
export function conforming(fetch: GuardedFetch, { tokenEndpoint, dropIdToken }: Ways): CustomFetch {
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
