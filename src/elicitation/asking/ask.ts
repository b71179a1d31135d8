import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '../../audit/entry.ts'
import { digest } from '../../base/canonical.ts'
import { requesterKey } from '../../participant/requester.ts'
import type { Answerers } from '../answering/answerers.ts'
import type { Desk } from '../desk.ts'
import { askerLeftAt, type Elicitation, type ElicitationId, lastMoment, type Question } from '../elicitation.ts'
import { TooManyOpen } from '../errors.ts'
import { expire } from '../expire.ts'
import { announce, saveEvent } from '../settle.ts'
import type { OpenLimits } from '../store.ts'
import { checkAsk, checkedQuestion } from './check-ask.ts'
import type { Ask } from './request.ts'

export interface Asked {
  readonly elicitation: Elicitation
  /** The same question was open already, and this is it. */
  readonly joined: boolean
}

/** Asks: keeps the question, tells the channels, and gives it back open. Asked twice, it is one question. */
export async function ask(desk: Desk, request: Ask): Promise<Asked> {
  checkAsk(desk.limits, request)
  const elicitation = open(desk, request)
  // Before it is kept: whatever breaks in between, no question is open that the audit does not know.
  await desk.audit.record(askingEntry(elicitation))

  const limits = openLimits(desk.limits)
  for (;;) {
    const added = await desk.store.add(elicitation, limits)
    switch (added.kind) {
      case 'added':
        return asked(desk, elicitation)
      case 'full':
        // What is over counts until somebody looks: look now.
        if ((await expire(desk)) > 0) break
        await desk.audit.record({ ...askingEntry(elicitation), kind: 'question-refused' })
        throw new TooManyOpen(limits[added.of])
      case 'joined': {
        const isOpen = desk.clock.now() < added.elicitation.expiresAt
        if (isOpen) return joined(desk, added.elicitation, elicitation)
        // Its time is over: nobody new may wait for it, so it ends without the grace that an answer under way gets.
        await saveEvent(desk, added.elicitation, { kind: 'looked-at', at: lastMoment(added.elicitation) })
      }
    }
  }
}

function openLimits({ openPerRequester, openPerParticipant }: Desk['limits']): OpenLimits {
  return { requester: openPerRequester, participant: Math.max(openPerRequester, openPerParticipant) }
}

function open(desk: Desk, request: Ask): Elicitation {
  const { origin, requester, purpose = 'input', metadata = {}, type, subject, priority } = request
  const id = randomUUID() as ElicitationId
  const createdAt = desk.clock.now()
  const question = checkedQuestion(desk, id, request)
  const answerers = answerersFor(request)
  return {
    id,
    version: 1,
    question,
    purpose,
    ...(type === undefined ? {} : { type }),
    origin,
    requester,
    answerers,
    identity: identityOf({ ...request, purpose, metadata }, question, answerers),
    metadata,
    ...(subject === undefined ? {} : { subject }),
    ...(priority === undefined ? {} : { priority }),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + (request.expiresInMs ?? lifeOf(answerers, desk))),
    state: { kind: 'open' },
  }
}

function answerersFor({ anyOf, requester, through = 'client', voting }: Ask): Answerers {
  return { anyOf: anyOf ?? [requester.participant], through, ...voting }
}

/** Those who are asked last get as long as those who are asked first. */
function lifeOf({ escalate = [] }: Answerers, { questionMs, limits }: Desk): number {
  return Math.min((escalate.at(-1)?.afterMs ?? 0) + questionMs, limits.longestMs)
}

/** Everything that would make a person's answer mean something else. */
function identityOf(request: Ask, question: Question, answerers: Answerers): string {
  const { purpose, type, origin, requester, about, metadata } = request
  return digest({
    // The address of a page of ours holds the id, which is new each time.
    question: question.mode === 'url' && question.page !== undefined ? { ...question, url: undefined } : question,
    purpose,
    type,
    origin,
    requester: requesterKey(requester),
    answerers,
    about,
    metadata,
  })
}

function asked(desk: Desk, elicitation: Elicitation): Asked {
  desk.events.tell({ kind: 'asked', elicitation })
  announce(desk, elicitation)
  return { elicitation, joined: false }
}

async function joined(desk: Desk, elicitation: Elicitation, mine: Elicitation): Promise<Asked> {
  const { participant } = mine.requester
  await desk.audit.record({ kind: 'question-joined', who: participant, about: elicitation.id, data: { as: mine.id } })
  desk.events.tell({ kind: 'joined', elicitation })
  if (askerLeftAt(elicitation) === undefined) return { elicitation, joined: true }
  const back = await saveEvent(desk, elicitation, { kind: 'asker-back', at: desk.clock.now() })
  return { elicitation: back ?? elicitation, joined: true }
}

function askingEntry({ id, requester, purpose, question, origin, type, answerers }: Elicitation): AuditEntry {
  const { mode } = question
  const { participant, client } = requester
  const data = { purpose, mode, server: origin.server, client, type, through: answerers.through }
  return { kind: 'question-asked', who: participant, about: id, data }
}
