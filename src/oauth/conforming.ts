import type { CustomFetch } from 'openid-client'
import type { GuardedFetch, GuardedRequest } from '../base/guarded-fetch.ts'
import { isPlainObject } from '../base/json.ts'
import type { Quirks } from './settings/quirks.ts'

interface ConformingOptions {
  readonly tokenEndpoint: string
  /** Whether id tokens are removed, where nothing is known that they could be checked against. */
  readonly dropIdToken: boolean
  readonly personalTokens: Quirks['personalTokens']
}

/**
 * Corrects answers of token endpoints to follow RFC 6749: some servers send errors with the status 200, or have words of their
 * own for the tokens of a person.
 */
export function conforming(fetch: GuardedFetch, options: ConformingOptions): CustomFetch {
  const { tokenEndpoint, dropIdToken, personalTokens } = options
  return async (url, request) => {
    const response = await fetch(url, request as GuardedRequest)
    if (url !== tokenEndpoint || response.status !== 200) return response

    const said = await response
      .clone()
      .json()
      .catch(() => undefined)
    if (!isPlainObject(said)) return response
    const body = personalTokens === undefined ? said : withPersonalTokens(said, personalTokens)
    if (typeof body.error === 'string' && body.access_token === undefined) return answer(body, 400)
    if (dropIdToken && body.id_token !== undefined) return answer({ ...body, id_token: undefined }, 200)
    return body === said ? response : answer(body, 200)
  }
}

/** The tokens of the person in place of others, which would act as somebody else: as a bot, for one. */
function withPersonalTokens(
  said: Record<string, unknown>,
  { at, type }: NonNullable<Quirks['personalTokens']>,
): Record<string, unknown> {
  const inner = said[at]
  const tokens = isPlainObject(inner) && inner.access_token !== undefined ? { ...said, ...inner } : said
  return { ...tokens, ...(tokens.token_type === type && { token_type: 'bearer' }) }
}

function answer(body: Record<string, unknown>, status: number): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}
