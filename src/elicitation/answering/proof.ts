/**
 * The way an answer came. `client` is the requester's own MCP client, `hub` a hub, `channel` a channel that checked the
 * person. On all other ways we verified the person ourselves; `passkey` is a page where they signed the answer.
 */
export type Via = 'client' | 'hub' | 'channel' | 'page' | 'inbox' | 'terminal' | 'passkey'

/**
 * How sure it is that a person gave an answer, weakest first: a client said so, a channel that checked the person said so,
 * a person whom we knew answered on a page of ours or at a terminal, or they signed exactly this with a passkey.
 */
export const proofs = ['client', 'channel', 'page', 'passkey'] as const

export type Proof = (typeof proofs)[number]

const proofOfVia: Readonly<Record<Via, Proof>> = {
  client: 'client',
  // A hub vouches for people whom we did not see, as a client does.
  hub: 'client',
  channel: 'channel',
  page: 'page',
  inbox: 'page',
  terminal: 'page',
  passkey: 'passkey',
}

/** What proof an answer that came this way is. */
export function proofOf(via: Via): Proof {
  return proofOfVia[via]
}

/** Whether `given` is at least as good a proof as `least`. */
export function isEnough(given: Proof, least: Proof): boolean {
  return proofs.indexOf(given) >= proofs.indexOf(least)
}
