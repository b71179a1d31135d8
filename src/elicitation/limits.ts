import { BadQuestion } from './errors.ts'
import { defaultFormLimits, type FormLimits } from './form/limits.ts'

/** How much a stranger can make us keep. */
export interface ElicitationLimits {
  /** Questions one requester may have open at once. */
  readonly openPerRequester: number
  /**
   * Questions that all requesters of one participant may have open at once. Never less than `openPerRequester`. Without a
   * login, a program is another requester whenever it gives itself another name.
   */
  readonly openPerParticipant: number
  /** Characters of a message. */
  readonly messageLength: number
  /** Bytes of metadata, as JSON. */
  readonly metadataBytes: number
  /** Bytes of what a question is about, as JSON: the arguments of a call. */
  readonly subjectBytes: number
  /** Bytes of an answer, as JSON; also of the reason of a decline. */
  readonly answerBytes: number
  /** How long a question may stay open at most, in milliseconds. */
  readonly longestMs: number
  /** How large a form may be. */
  readonly form: FormLimits
}

export const defaultLimits: ElicitationLimits = {
  openPerRequester: 100,
  openPerParticipant: 500,
  messageLength: 4_000,
  metadataBytes: 16_384,
  subjectBytes: 262_144,
  answerBytes: 65_536,
  longestMs: 30 * 24 * 3_600_000,
  form: defaultFormLimits,
}

/** Throws `BadQuestion` for a message that is empty or too long. */
export function checkMessage({ messageLength }: Pick<ElicitationLimits, 'messageLength'>, message: string): void {
  if (message.trim() === '') throw new BadQuestion('A question needs a message.')
  if (message.length > messageLength) throw new BadQuestion(`A message has at most ${messageLength} characters.`)
}
