import { randomUUID } from 'node:crypto'
import { digest } from '../base/canonical.ts'
import { requesterKey } from '../participant/requester.ts'
import type { Answerers } from './answerers.ts'
import { checkAsk, checkedQuestion } from './check-ask.ts'
import type { Desk } from './desk.ts'
import { applyEvent, type Elicitation, type ElicitationId, isSettled, type Question } from './elicitation.ts'
import { TooManyOpen } from './errors.ts'
import type { Ask } from './request.ts'
import { announce, settled } from './settle.ts'

export interface Asked {
  readonly elicitation: Elicitation
  /** The same question was open already, and this is it. */
  readonly joined: boolean
}

/** Asks: keeps the question, tells the channels, and gives it back open. Asked twice, it is one question. */
export async function ask(desk: Desk, request: Ask): Promise<Asked> {
  checkAsk(desk.limits, request)
  const elicitation = open(desk, request)

  for (;;) {
    const added = await desk.store.add(elicitation, desk.limits.openPerRequester)
    switch (added.kind) {
      case 'added':
        return asked(desk, elicitation)
      case 'full':
        throw new TooManyOpen(desk.limits.openPerRequester)
      case 'joined': {
        const current = applyEvent(added.elicitation, { kind: 'looked-at', at: desk.clock.now() })
        if (!isSettled(current)) return joined(desk, added.elicitation)
        // Its time was over, though nobody had looked: close it and ask anew.
        if (await desk.store.saveIfUnchanged(current)) await settled(desk, current)
      }
    }
  }
}

function open(desk: Desk, request: Ask): Elicitation {
  const { origin, requester, purpose = 'input', metadata = {}, type } = request
  const id = randomUUID() as ElicitationId
  const createdAt = desk.clock.now()
  const question = checkedQuestion(desk, id, request)
  const answerers: Answerers = { anyOf: request.anyOf ?? [requester.participant], through: request.through ?? 'client' }
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
    createdAt,
    expiresAt: new Date(createdAt.getTime() + (request.expiresInMs ?? desk.questionMs)),
    state: { kind: 'open' },
  }
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

async function asked(desk: Desk, elicitation: Elicitation): Promise<Asked> {
  const { id, requester, purpose, question, origin, type, answerers } = elicitation
  await desk.audit.record({
    kind: 'question-asked',
    who: requester.participant,
    about: id,
    data: {
      purpose,
      mode: question.mode,
      server: origin.server,
      client: requester.client,
      type,
      through: answerers.through,
    },
  })
  desk.events.tell({ kind: 'asked', elicitation })
  announce(desk, elicitation)
  return { elicitation, joined: false }
}

async function joined(desk: Desk, elicitation: Elicitation): Promise<Asked> {
  await desk.audit.record({ kind: 'question-joined', who: elicitation.requester.participant, about: elicitation.id })
  desk.events.tell({ kind: 'joined', elicitation })
  return { elicitation, joined: true }
}
