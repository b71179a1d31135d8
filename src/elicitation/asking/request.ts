import type { JsonObject } from '../../base/json.ts'
import type { Requester } from '../../participant/requester.ts'
import type { Answerer, Answerers } from '../answering/answerers.ts'
import type { ConnectTo, Origin, Priority, Purpose } from '../elicitation.ts'

/** A question as its asker puts it. A schema may come from anywhere: it is checked here. */
export type AskedQuestion =
  | { readonly mode: 'form'; readonly message: string; readonly schema: unknown }
  /** A page of ours; what it asks for, when it is a form. */
  | { readonly mode: 'url'; readonly message: string; readonly page: string; readonly schema?: unknown }
  /** The page where an account is connected. */
  | { readonly mode: 'url'; readonly message: string; readonly connect: ConnectTo }
  /** A page elsewhere. */
  | { readonly mode: 'url'; readonly message: string; readonly url: string }

export interface Ask {
  /** What is asked, as a form or as a page. */
  readonly question: AskedQuestion
  /** `input` unless said otherwise. */
  readonly purpose?: Purpose
  /** A name by which `find` finds the latest answer, such as `api-key-stripe`. */
  readonly type?: string
  /** Which server asks, as the person knows it. */
  readonly origin: Origin
  /** Who wants to know: the participant and the client that acts for them. */
  readonly requester: Requester
  /** Who may answer; the requester, unless said otherwise. */
  readonly anyOf?: readonly Answerer[]
  /** The least proof that a yes needs. `page`: an answer through the client does not count. Default: `client`. */
  readonly through?: Answerers['through']
  /** How many must say yes, to whom they may hand it on, and who is asked too when it stays open. Default: one, nobody. */
  readonly voting?: Pick<Answerers, 'quorum' | 'delegate' | 'escalate'>
  /** Orders the inbox. Default: normal. */
  readonly priority?: Priority
  /** What the question is about, such as the digest of a call: the same words about another thing are another question. */
  readonly about?: string
  /** Data of your own that is kept with the question. Default: none. */
  readonly metadata?: JsonObject
  /** What the answer is about, in full; `about` must tell it apart from others. */
  readonly subject?: JsonObject
  /** How long the question stays open. Default: `clocks.question`, from the last escalation on. */
  readonly expiresInMs?: number
}
