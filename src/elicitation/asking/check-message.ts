import { BadQuestion } from '../errors.ts'
import type { ElicitationLimits } from '../limits.ts'

/** Throws `BadQuestion` for a message that is empty or too long. */
export function checkMessage({ messageLength }: Pick<ElicitationLimits, 'messageLength'>, message: string): void {
  if (message.trim() === '') throw new BadQuestion('A question needs a message.')
  if (message.length > messageLength) throw new BadQuestion(`A message has at most ${messageLength} characters.`)
}
