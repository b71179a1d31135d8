import { seenNow } from '../approval/question/page-form.ts'
import type { Assent } from '../assent.ts'
import type { JsonObject } from '../base/json.ts'
import { inBackground } from '../base/under-way.ts'
import type { Answered } from '../elicitation/answering/answered.ts'
import { isAsked } from '../elicitation/answering/may-answer.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import { answerersNow, nextEscalation } from '../elicitation/voting/voting.ts'
import { answerIn, approvalAnswer, approvalParams, type OriginalRequest } from '../hub/approval/space-form.ts'
import { agentIdentity } from '../hub/options.ts'
import type { Requests } from './requests.ts'

/** What is needed to ask the approvers of a call in a space. */
export interface ApproverParts {
  readonly space: string
  readonly assent: Assent
  readonly requests: Requests
  /** Somebody who is not in the space can answer elsewhere: the question is kept where people look. */
  readonly isKeptElsewhere: boolean
}

/** How often one participant is asked again after an answer that does not fit. */
const mostTries = 3

/**
 * Asks everybody in the space whom the rule names, and those to whom they hand it on, until the question is settled.
 * Never asks the agents that the call comes through. When nobody is left who could answer, the question ends. Aborting the
 * signal ends the asking, not the question.
 */
export async function askApprovers(
  parts: ApproverParts,
  elicitation: Elicitation,
  original: OriginalRequest,
  signal: AbortSignal,
): Promise<void> {
  const { space, assent, requests, isKeptElsewhere } = parts
  const { id, requester } = elicitation
  const settled = new AbortController()
  const over = AbortSignal.any([signal, settled.signal])
  const asked = new Set<string>()
  let waiting = 0

  const personOf = (member: string) => ({ participant: agentIdentity(space, member), groups: [] })
  const mayAsk = (member: string, now: Elicitation) =>
    !asked.has(member) && !requester.agents?.includes(personOf(member).participant) && isAsked(now, personOf(member))

  async function askAll(): Promise<void> {
    // Read first: an answer that arrives while the question is read may have handed it on.
    if (over.aborted) return
    const before = waiting
    const now = await assent.get(id)
    if (now?.state.kind !== 'open') return
    const names = answerersNow(now)
    for (const member of names.flatMap((name) => memberNamed(space, name) ?? [])) {
      if (!mayAsk(member, now)) continue
      asked.add(member)
      waiting += 1
      inBackground(
        ask(member)
          .catch(() => {})
          .then(() => {
            waiting -= 1
            return askAll()
          }),
      )
    }
    if (before > 0 || waiting > 0 || nextEscalation(now) !== undefined) return
    const isOthers = names.some((name) => memberNamed(space, name) === undefined)
    if (!isKeptElsewhere || !isOthers) await assent.fail(id, 'nobody who may approve can be asked')
  }

  /** Whoever cannot be asked, or answers nothing that fits, ends their own part only. */
  async function ask(member: string): Promise<void> {
    let words = ''
    for (let tries = 0; tries < mostTries && !over.aborted; tries += 1) {
      const now = (await assent.get(id)) ?? elicitation
      const params = approvalParams(now, original, { now: assent.clock.now(), link: '' })
      const question = { ...params, message: `${params.message}${words}` } as JsonObject
      const result = await requests.send(member, 'elicitation/create', question, { signal: over })
      const given = answerIn(result) ?? { action: 'cancel' as const }
      const answering = { ...personOf(member), via: 'hub' as const, ...seenNow(now) }
      const answered = await assent.answer(
        id,
        answering,
        approvalAnswer(now, given, (to) => nameIn(space, to)),
      )
      if (answered.kind !== 'invalid') return
      words = problemWords(answered)
    }
  }

  const unwatch = assent.store.changes.watch(id, () => inBackground(askAll()))
  try {
    await askAll()
    await assent.wait(id, { signal })
  } finally {
    unwatch()
    settled.abort()
  }
}

function problemWords({ errors }: Extract<Answered, { kind: 'invalid' }>): string {
  return `\nYour answer did not fit: ${errors.map(({ message }) => message).join(' ')}`
}

const identityEnd = (space: string) => `@hub:${space}`

function memberNamed(space: string, name: string): string | undefined {
  return name.endsWith(identityEnd(space)) ? decodeURIComponent(name.slice(0, -identityEnd(space).length)) : undefined
}

/** The name by which a participant of the space is asked; any other name stays as it is. */
export function nameIn(space: string, name: string): string {
  return /^[\w.-]+$/.test(name) && name !== 'local' ? agentIdentity(space, name) : name
}
