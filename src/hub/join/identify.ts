import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AssentForHub } from '../needs.ts'
import type { Member } from '../options.ts'
import { takeTicket } from './ticket.ts'

/** Who somebody at the door is, or why they may not enter. */
export type AtTheDoor =
  | { readonly kind: 'member'; readonly member: Member }
  | { readonly kind: 'stranger'; readonly reason: 'no-token' | 'bad-token' | 'bad-ticket'; readonly words: string }

export interface Door {
  readonly name: string
  readonly members: ReadonlyMap<string, Member>
}

/** Finds out who sent a request to a space: by a token in its header, or by a ticket. Never by anything else in it. */
export async function whoIs(
  assent: AssentForHub,
  { name, members }: Door,
  request: Pick<IncomingMessage, 'headers'>,
  ticket: string | null,
): Promise<AtTheDoor> {
  if (ticket !== null) {
    const taken = await takeTicket(assent, ticket)
    const member = taken?.space === name ? members.get(taken.participant) : undefined
    return member === undefined
      ? stranger('bad-ticket', 'This ticket was used, is over, or was never made.')
      : { kind: 'member', member }
  }
  const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) {
    return stranger('no-token', 'Send your token in the Authorization header, or a ticket in the address.')
  }
  const member = byToken(members, token) ?? (await byLogin(assent, members, token))
  return member === undefined
    ? stranger('bad-token', 'This token is nobody of this space.')
    : { kind: 'member', member }
}

function stranger(reason: 'no-token' | 'bad-token' | 'bad-ticket', words: string): AtTheDoor {
  return { kind: 'stranger', reason, words }
}

/** Compares digests, so that the time it takes tells nothing about the tokens. */
function byToken(members: ReadonlyMap<string, Member>, given: string): Member | undefined {
  const digest = hash('sha256', given, 'buffer')
  let found: Member | undefined
  for (const member of members.values()) {
    if (member.token === undefined) continue
    if (timingSafeEqual(hash('sha256', member.token, 'buffer'), digest)) found = member
  }
  return found
}

async function byLogin(
  { login, clock }: AssentForHub,
  members: ReadonlyMap<string, Member>,
  token: string,
): Promise<Member | undefined> {
  const identified = await login?.byToken(token)
  if (identified === undefined) return undefined
  if (identified.expiresAt !== undefined && identified.expiresAt <= clock.now()) return undefined
  return [...members.values()].find(({ participant }) => participant === identified.participant)
}
