import { channelWords } from '../../approval/question/choice-form.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import type { JsonObject } from '../../base/json.ts'
import { isEnough } from '../../elicitation/answering/answerers.ts'
import type { Elicitation, ElicitationState } from '../../elicitation/elicitation.ts'
import type { Notice } from '../delivery/outbox.ts'
import { priorityMark, utcText, whatIsNeeded } from '../delivery/words.ts'

/** A message as Slack takes it: text for notifications, blocks for the window. */
export interface SlackMessage extends JsonObject {
  readonly text: string
  readonly blocks: JsonObject[]
}

/** What a button says when it is pressed: its choice and the question. */
export const pressedChoices = ['allow_once', 'deny'] as const
export type PressedChoice = (typeof pressedChoices)[number]

/** Slack shows no more of one text. */
const longestText = 3_000
/** Slack takes 50 blocks; a question in a list is two of them. */
const mostListed = 20

/** How much a message holds. */
export interface MessageStyle {
  /** Whether the arguments of a call may be shown. */
  readonly details: boolean
  /** Whether a press of a button can be verified. */
  readonly buttons: boolean
}

/** One question, or a list of several. */
export function messageFor(notices: readonly Notice[], style: MessageStyle): SlackMessage {
  const [only, ...others] = notices as [Notice, ...Notice[]]
  return others.length === 0 ? about(only, style) : list(notices)
}

/** The message of a question that is settled: without buttons, so that nobody presses in vain. */
export function settledMessage(elicitation: Elicitation): SlackMessage {
  const text = `${whatIsNeeded(elicitation)}: ${endWords[elicitation.state.kind]}`
  return { text, blocks: [section(text)] }
}

const endWords: Readonly<Record<ElicitationState['kind'], string>> = {
  open: 'waiting',
  answered: 'answered',
  expired: 'expired without an answer',
  failed: 'failed',
  withdrawn: 'withdrawn',
}

function about({ elicitation, link }: Notice, style: MessageStyle): SlackMessage {
  const text = `${priorityMark(elicitation)}${whatIsNeeded(elicitation)}`
  const words = style.details ? wholeWords(elicitation) : undefined
  const open = { type: 'button', action_id: 'open', text: plain('Open the page'), url: link }
  return {
    text,
    blocks: [
      section(`${text}, until ${utcText(elicitation.expiresAt)}`),
      ...(words === undefined ? [] : [section(words)]),
      {
        type: 'actions',
        elements: words === undefined || !style.buttons ? [open] : [...buttonsFor(elicitation), open],
      },
    ],
  }
}

function list(notices: readonly Notice[]): SlackMessage {
  const left = notices.length - mostListed
  const text = `${notices.length} questions wait for you`
  return {
    text,
    blocks: [
      section(text),
      ...notices.slice(0, mostListed).map(({ elicitation, link }) => ({
        ...section(`${priorityMark(elicitation)}${whatIsNeeded(elicitation)}, until ${utcText(elicitation.expiresAt)}`),
        accessory: { type: 'button', action_id: 'open', text: plain('Open the page'), url: link },
      })),
      ...(left > 0 ? [section(`And ${left} more, in your inbox.`)] : []),
    ],
  }
}

/**
 * The whole call, where a yes in a channel counts and the message shows all of what would run; undefined: it is for the
 * page. After an edit it is: the record holds what was changed, and the page shows it.
 */
function wholeWords(elicitation: Elicitation): string | undefined {
  const subject = approvalIn(elicitation)
  if (subject === undefined || elicitation.voting?.edit !== undefined) return undefined
  if (!isEnough('channel', elicitation.answerers.through)) return undefined
  const words = channelWords(subject.call, subject.decision)
  return words !== undefined && words.length <= longestText ? words : undefined
}

function buttonsFor({ id }: Elicitation): JsonObject[] {
  return [
    { type: 'button', action_id: 'allow_once', style: 'primary', text: plain('Allow once'), value: id },
    { type: 'button', action_id: 'deny', style: 'danger', text: plain('Deny'), value: id },
  ]
}

/** Plain text: nothing in it is formatted, and nobody is mentioned by it. */
function section(text: string): JsonObject {
  return { type: 'section', text: plain(text) }
}

function plain(text: string): JsonObject {
  return { type: 'plain_text', emoji: false, text }
}
