import type { ParticipantId } from '../participant/participant.ts'
import type { PushSubscriptions } from '../participant/push-subscriptions.ts'
import type { Answered } from './answering/answered.ts'
import type { Answer, ConnectTo, Elicitation, ElicitationId } from './elicitation.ts'

/** A way to reach the person who is asked. */
export interface Channel {
  readonly name: string
  /**
   * Told when a question is asked, when others are asked too or its arguments were changed, and when it is settled; `state`
   * and `voting` say which. `link` leads to its page. May fail: the question stays all the same.
   */
  tell(elicitation: Elicitation, link: string): Promise<void>
  /** For a channel through which people answer: called once, before anything is told. */
  begin?(desk: ChannelDesk): void
  /** Handles a POST that its service sends to `/channels/<name>`. Everybody can send one: it must prove where it is from. */
  receive?(message: ReceivedMessage): Promise<Response>
  /** For a channel that tells browsers: people add them on the page of notifications. */
  readonly browsers?: ChannelBrowsers
  /** Lets go of what it holds, soon, whatever is still under way. */
  close?(): Promise<void>
}

/** What a channel through which people answer may do. */
export interface ChannelDesk {
  /** Answers for a person whom the channel has verified. It counts as `channel`, by the groups of their last sign-in. */
  answer(id: ElicitationId, participant: ParticipantId, answer: Answer): Promise<Answered>
  /** The browsers that people are told in. */
  readonly subscriptions: PushSubscriptions
}

/** How a channel reaches browsers. */
export interface ChannelBrowsers {
  /** What a browser binds its subscription to. */
  publicKey(): string
  /** Whether messages may be sent to this address, which a browser gave. */
  accepts(endpoint: string): boolean
  /** Sends a message that says that it works. Rejects if it could not be sent; resolves for one that is gone. */
  test(key: string): Promise<void>
}

/** A message as it came. */
export interface ReceivedMessage {
  readonly headers: Headers
  readonly body: string
}

/** The address of a page about one elicitation. It names the question and gives access to nothing. */
export type LinkTo = (id: ElicitationId, page: string, connect?: ConnectTo) => string
