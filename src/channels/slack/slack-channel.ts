import { type Clock, systemClock } from '../../base/clock.ts'
import { AssentError, BadArgument } from '../../base/errors.ts'
import { type GuardedFetch, guardedFetch } from '../../base/guarded-fetch.ts'
import type { Answered } from '../../elicitation/answering/answered.ts'
import type { Channel, ChannelDesk, ReceivedMessage } from '../../elicitation/channel.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { createOutbox } from '../delivery/outbox.ts'
import type { QuietHours } from '../delivery/quiet-hours.ts'
import { type AddressBook, addressesToTell } from '../delivery/recipients.ts'
import { NotDelivered, usualRetries, withRetries } from '../delivery/retry.ts'
import { slackApi } from './api.ts'
import { messageFor, settledMessage } from './blocks.ts'
import { isFromSlack, type Press, readPress } from './press.ts'

/** Options of `slackChannel`. */
export interface SlackOptions {
  /** The bot token of your Slack app, which begins with `xoxb-`. It needs the scope `chat:write`. */
  readonly token: string
  /** The Slack user or channel of each participant and group, such as `U012AB3CD` or `C012AB3CD`. */
  readonly to: AddressBook
  /**
   * Shows the arguments of calls, to everybody in the conversation, with buttons where the rule lets a channel answer.
   * Default: a link alone.
   */
  readonly details?: boolean
  /** The signing secret of your Slack app. Needed for buttons. */
  readonly signingSecret?: string
  /** Which participant a Slack user is. Presses of anybody else count for nothing. Needed for buttons. */
  readonly people?: Readonly<Record<string, string>>
  /** The id of the only workspace whose presses count, such as `T012AB3CD`. Needed for buttons. */
  readonly team?: string
  /** The channel's name in events, logs and addresses. Default: `slack`. */
  readonly name?: string
  /** Further questions to the same address are gathered for so long, in milliseconds. Default: 20 seconds. */
  readonly gatherMs?: number
  /** When only urgent questions are sent. Default: never. */
  readonly quiet?: QuietHours
  /** The wait before each retry, in milliseconds. Default: four retries within a minute. */
  readonly retries?: readonly number[]
  /** The address of Slack's Web API. Default: https://slack.com/api. */
  readonly api?: string
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Sends the requests. Default: a fetch that reaches public addresses only. */
  readonly fetch?: GuardedFetch
}

/** A message that may still have to be changed. */
interface Sent {
  readonly channel: string
  readonly ts: string
}

/** The messages about one question. It may be settled while one of them is being sent. */
interface Thread {
  sent: Sent[]
  settled?: Elicitation
}

/** The messages of more questions than these are not changed any more when they are settled. */
const mostThreads = 10_000

/** Tells people in Slack that they are asked, and lets them answer there where the rule allows it. */
export function slackChannel(options: SlackOptions): Channel {
  const { token, to, details = false, name = 'slack', gatherMs = 20_000, quiet, retries = usualRetries } = options
  const { clock = systemClock, api = 'https://slack.com/api' } = options
  checkButtons(options)
  const style = { details, buttons: options.signingSecret !== undefined }
  const call = slackApi(api, token, options.fetch ?? guardedFetch({ reach: 'internet', maxBytes: 262_144 }))
  const threads = new Map<string, Thread>()
  const closing = new AbortController()
  let desk: ChannelDesk | undefined

  const outbox = createOutbox({
    clock,
    retries,
    gatherMs,
    ...(quiet && { quiet }),
    async attempt(address, notices) {
      const [only, ...others] = notices
      const thread = only && others.length === 0 ? threadOf(only.elicitation.id) : undefined
      const called = await call('chat.postMessage', { channel: address, ...messageFor(notices, style) })
      if ('failure' in called) return called.failure
      const { channel, ts } = called.result
      if (thread && typeof channel === 'string' && typeof ts === 'string') thread.sent.push({ channel, ts })
      if (thread?.settled) await changeAll(thread, thread.settled)
      return undefined
    },
  })

  function threadOf(id: string): Thread {
    const thread = threads.get(id) ?? { sent: [] }
    threads.set(id, thread)
    const [oldest] = threads.keys()
    if (threads.size > mostThreads && oldest !== undefined) threads.delete(oldest)
    return thread
  }

  async function settle(elicitation: Elicitation): Promise<void> {
    outbox.drop(elicitation.id)
    const thread = threads.get(elicitation.id)
    if (thread === undefined) return
    threads.delete(elicitation.id)
    thread.settled = elicitation
    await changeAll(thread, elicitation)
  }

  /** What is being sent now is changed when it is sent. */
  async function changeAll(thread: Thread, elicitation: Elicitation): Promise<void> {
    const messages = thread.sent
    thread.sent = []
    const how = { clock, retries, noMore: closing.signal, isOver: () => false }
    await Promise.all(
      messages.map((message) =>
        withRetries(async () => {
          const called = await call('chat.update', { ...message, ...settledMessage(elicitation) })
          return 'failure' in called ? called.failure : undefined
        }, how),
      ),
    )
  }

  /** Says to the one who pressed why it did not count. Nobody else sees it. */
  async function explain({ channel, user }: Press, text: string): Promise<void> {
    await call('chat.postEphemeral', { channel, user, text })
  }

  async function take(press: Press): Promise<void> {
    const { people = {}, team } = options
    const participant = Object.hasOwn(people, press.user) ? people[press.user] : undefined
    if (participant === undefined || press.team !== team || desk === undefined) return explain(press, notKnown)
    const answer =
      press.choice === 'deny'
        ? ({ action: 'decline' } as const)
        : ({ action: 'accept', content: { choice: press.choice } } as const)
    const problem = await desk.answer(press.id, participant as ParticipantId, answer).then(problemIn, refusalWords)
    if (problem !== undefined) await explain(press, problem)
  }

  return {
    name,
    begin: (given) => {
      desk = given
    },
    async tell(elicitation, link) {
      if (closing.signal.aborted) throw new NotDelivered('The channel is closed.')
      if (isSettled(elicitation)) return settle(elicitation)
      await Promise.all(addressesToTell(elicitation, to, name).map((one) => outbox.add(one, { elicitation, link })))
    },
    async receive(message: ReceivedMessage) {
      if (!isFromSlack(message, options.signingSecret ?? '', clock.now())) return new Response(null, { status: 401 })
      const press = readPress(message.body)
      if (press !== undefined) await take(press)
      return new Response(null, { status: 200 })
    },
    async close() {
      closing.abort()
      await outbox.close()
    },
  }
}

const notKnown = 'Assent does not know you by your Slack account, so this did not count. Open the page to answer.'

function problemIn(answered: Answered): string | undefined {
  switch (answered.kind) {
    case 'kept':
      return undefined
    case 'counted':
      return 'Your yes counts. Others must say yes too.'
    case 'late':
      return 'It was answered or had ended before.'
    case 'delegated':
    case 'invalid':
      return 'This cannot be answered here. Open the page to answer.'
  }
}

/** What they may not answer, they learn nothing of. */
function refusalWords(error: unknown): string {
  if (error instanceof AssentError) return 'You cannot answer this here, or it is gone. Open the page to see.'
  throw error
}

/** Buttons need to know who presses: half of these settings would be buttons that never work. */
function checkButtons({ details = false, signingSecret, people, team, token }: SlackOptions): void {
  if (token === '') throw new BadArgument('Slack needs a bot token. Set `token`.')
  const given = [signingSecret, people, team].filter((one) => one !== undefined).length
  if (given !== 0 && given !== 3) throw new BadArgument('Buttons in Slack need `signingSecret`, `people` and `team`.')
  if (given === 3 && !details)
    throw new BadArgument('Buttons in Slack need `details: true`: nobody may allow what they do not see.')
}
