import { keyOfToken } from '../../participant/api-token.ts'
import type { Person } from '../../participant/identify.ts'
import type { ApiRight, ApiToken } from '../../participant/owned.ts'
import { peopleIn } from '../../participant/people.ts'
import type { WebContext } from '../site.ts'
import { recordPageRefusal } from '../viewer/admit.ts'

/** A program that acts for a person. */
export interface ActingProgram extends Person {
  readonly token: ApiToken
}

/** The program behind this request, by its token alone: a browser's cookie counts for nothing here. */
export async function admitProgram(c: WebContext, right: ApiRight): Promise<ActingProgram | Response> {
  const { site } = c.var
  const { store } = site.assent
  const token = await tokenOf(c)
  if (token === undefined) {
    await recordPageRefusal(c, 'token-unknown')
    c.header('WWW-Authenticate', 'Bearer realm="assent"')
    return failed(c, 401, 'token-unknown', 'This needs a token that is valid. People make tokens on the page /tokens.')
  }
  const seconds = site.rates.program(token.key)
  if (seconds !== undefined) return tooManyCalls(c, seconds)
  if (!token.rights.includes(right)) {
    await recordTokenRefusal(c, token, 'right-missing')
    return failed(c, 403, 'right-missing', `This token lacks the right "${right}".`)
  }
  // As for every channel: the groups are those of the person's last sign-in.
  const { groups } = (await peopleIn(store.browsers).find(token.participant)) ?? { groups: [] }
  return { participant: token.participant, groups, token }
}

/** The token of this request, if it is valid. Looked up once a request. */
export async function tokenOf(c: WebContext): Promise<ApiToken | undefined> {
  if (c.var.token !== undefined) return c.var.token.found
  const { store, clock } = c.var.site.assent
  const [, given] = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  const key = keyOfToken(given)
  const kept = key === undefined ? undefined : await store.tokens.getByKey(key)
  const found = kept !== undefined && kept.expiresAt > clock.now() ? kept : undefined
  c.set('token', { found })
  return found
}

/** Says when a program may ask again. */
export function tooManyCalls(c: WebContext, seconds: number): Response {
  c.header('Retry-After', String(seconds))
  return failed(c, 429, 'too-many', `Too many requests. Try again in ${seconds} seconds.`)
}

/** Records that a token was refused something. Unlike strangers, its holder is known, and cannot go on without end. */
export function recordTokenRefusal(c: WebContext, token: ApiToken, reason: string, about?: string): Promise<void> {
  return c.var.site.assent.record({
    kind: 'token-refused',
    who: token.participant,
    ...(about !== undefined && { about }),
    data: { token: token.id, reason },
  })
}

/** What the API answers when it does not do what was asked. */
export function failed(
  c: WebContext,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429,
  code: string,
  message: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return c.json({ error: { code, message, ...more } }, status)
}
