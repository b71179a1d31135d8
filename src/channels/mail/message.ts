import type { Notice } from '../delivery/outbox.ts'
import { priorityMark, utcText, whatIsNeeded } from '../delivery/words.ts'

/** What a mail says. Plain text: nothing in it is interpreted. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

/** More questions than these are only counted. */
const mostListed = 50

/**
 * A mail about questions. Holds what we know ourselves: the name of the server, until when it can be answered, and the
 * link. What a client or a tool calls itself is left out, because a mail program makes links of what looks like one.
 */
export function mailAbout(notices: readonly Notice[]): MailText {
  const [only, ...others] = notices as [Notice, ...Notice[]]
  if (others.length > 0) return mailAboutMany(notices)
  const { elicitation, link } = only
  return {
    subject: `Assent: ${priorityMark(elicitation)}${whatIsNeeded(elicitation)}`,
    text: [
      `${whatIsNeeded(elicitation)}.`,
      '',
      'What is asked is on this page, where you can answer it:',
      link,
      '',
      `It can be answered until ${utcText(elicitation.expiresAt)}.`,
      '',
      ...footer,
    ].join('\n'),
  }
}

function mailAboutMany(notices: readonly Notice[]): MailText {
  const listed = notices.slice(0, mostListed)
  const left = notices.length - listed.length
  return {
    subject: `Assent: ${notices.length} questions wait for you`,
    text: [
      `${notices.length} questions wait for you. Each has a page that says what is asked.`,
      ...listed.flatMap(({ elicitation, link }) => [
        '',
        `${priorityMark(elicitation)}${whatIsNeeded(elicitation)}, until ${utcText(elicitation.expiresAt)}:`,
        link,
      ]),
      ...(left > 0 ? ['', `And ${left} more, in your inbox.`] : []),
      '',
      ...footer,
    ].join('\n'),
  }
}

const footer = [
  'The link gives access to nothing by itself: the page opens only for people who may answer.',
  'If somebody has answered before you, it says so.',
]
