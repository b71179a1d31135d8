import type { JsonObject } from '../../base/json.ts'
import type { Requester } from '../../participant/requester.ts'
import type { Answerer, Answerers } from '../answering/answerers.ts'
import type { ConnectTo, Origin, Purpose } from '../elicitation.ts'

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
  readonly question: AskedQuestion
  /** `input` unless said otherwise. */
  readonly purpose?: Purpose
  readonly type?: string
  readonly origin: Origin
  readonly requester: Requester
  /** Who may answer; the requester, unless said otherwise. */
  readonly anyOf?: readonly Answerer[]
  readonly through?: Answerers['through']
  /** What the question is about, such as the digest of a call: the same words about another thing are another question. */
  readonly about?: string
  readonly metadata?: JsonObject
  /** What the answer is about, in full; `about` must tell it apart from others. */
  readonly subject?: JsonObject
  readonly expiresInMs?: number
}
