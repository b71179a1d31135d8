import { digest } from '../../base/canonical.ts'
import { rememberUntil } from '../../call/step.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { ElicitationResult } from '../../elicitation/result.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { requesterKey } from '../../participant/requester.ts'
import { refusedBy } from '../answers.ts'
import type { RequestContext } from '../context.ts'

/** How long an answer to one call waits for that call to be made again. */
const usableMs = 86_400_000

/** A question of one call. */
export interface CallQuestion {
  /** What it is about: the same call, made again by the same requester, meets this question or its answer. */
  readonly about: string
  /** By which its answer is found again. */
  readonly type: string
  /** Every call may use its answer: the author named the type. Otherwise the answer counts for one call. */
  readonly isShared: boolean
}

/** The question of this call under this key. `fingerprint` tells it from another one under the same key. */
export function callQuestion(
  { call }: RequestContext,
  key: string,
  { fingerprint, type }: { readonly fingerprint: string; readonly type?: string | undefined },
): CallQuestion {
  const { requester, server, method, name } = call
  const about = digest([requesterKey(requester), server, method, name, call.arguments ?? null, key, fingerprint])
  return { about, type: type ?? `call-${about}`, isShared: type !== undefined }
}

/** The answer that somebody gave after an earlier try of the same call had ended. Throws `AskRefused` if it was a no. */
export async function takeEarlier(
  context: RequestContext,
  { type, isShared }: CallQuestion,
): Promise<ElicitationResult | undefined> {
  const known = await context.assent.find(context.call.requester.participant, type)
  if (known === undefined) return undefined
  if (!(isShared && known.success) && !(await useOnce(context, type, known.completedAt))) return undefined
  return accepted(known)
}

/** Uses up the answer to a question of one call. Throws `AskRefused` if it is a yes that something else used before. */
export async function useAnswer(
  context: RequestContext,
  { isShared }: Pick<CallQuestion, 'isShared'>,
  { type, state }: Elicitation,
  isYes: boolean,
): Promise<void> {
  if (type === undefined || state.kind !== 'answered' || (isShared && !isYes)) return
  if ((await useOnce(context, type, state.at)) || !isYes) return
  throw new AskRefused('already-run', 'This yes was used already. Nothing was done again.')
}

/** The result of an accepted answer. Throws `AskRefused` for any other. */
export function accepted(result: ElicitationResult): ElicitationResult {
  if (result.action !== 'accept') throw refusedBy(result.action)
  return result
}

/** An answer to one call counts for one call. A no counts once, after which the person may be asked again. */
async function useOnce({ assent }: RequestContext, type: string, completedAt: Date): Promise<boolean> {
  const usableUntil = new Date(completedAt.getTime() + usableMs)
  // The answer can be found for ever, and the claim that says it was used cannot be kept as long.
  if (assent.clock.now() >= usableUntil) return false
  const step = { walkId: type, name: `used ${completedAt.toISOString()}` }
  const claimed = await assent.store.steps.claim(step, rememberUntil(usableUntil))
  return claimed.kind === 'claimed'
}
