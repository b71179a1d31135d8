import type { ConnectTo, Elicitation, ElicitationId } from './elicitation.ts'

/** A way to reach the person who is asked. */
export interface Channel {
  readonly name: string
  /**
   * Told when a question is asked, when others are asked too or its arguments were changed, and when it is settled; `state`
   * and `voting` say which. `link` leads to its page. May fail: the question stays all the same.
   */
  tell(elicitation: Elicitation, link: string): Promise<void>
  /** Lets go of what it holds, soon, whatever is still under way. */
  close?(): Promise<void>
}

/** The address of a page about one elicitation. It names the question and gives access to nothing. */
export type LinkTo = (id: ElicitationId, page: string, connect?: ConnectTo) => string
