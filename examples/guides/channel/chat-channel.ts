import type { Channel, Elicitation } from 'assent'

/** Tells a chat room, by a JSON message with a `text`, that somebody is asked and how it ended. */
export function chatChannel(room: URL): Channel {
  return {
    name: 'chat',
    async tell(elicitation, link) {
      const reply = await fetch(room, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: textFor(elicitation, link) }),
        signal: AbortSignal.timeout(5_000),
      })
      // The question stays open all the same; this error goes to the log.
      if (!reply.ok) throw new Error(`The chat room answered ${reply.status}.`)
    },
  }
}

/** Says who asks and where to answer. What is asked stays on the page, which only those who were asked can open. */
function textFor({ origin, state, expiresAt }: Elicitation, link: string): string {
  if (state.kind === 'open') return `${origin.server} needs an answer by ${expiresAt.toISOString()}: ${link}`
  return `The question of ${origin.server} is ${state.kind}: ${link}`
}
