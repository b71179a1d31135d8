import { callNow } from '../../approval/question/page-form.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import { type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import type { AssentForWeb } from '../needs.ts'
import type { InboxRow } from '../pages/inbox-props.ts'
import { approvalEnd } from '../question/approval.ts'
import { labelsFrom, questionFacts } from '../question/question-page.ts'
import { personName } from '../viewer/person-name.ts'

/** The row of a question in this part of the inbox. */
export function rowOf(asked: Elicitation, viewer: Person, place: InboxPlace = {}): InboxRow {
  const { server, asker, requester, left, createdAt, expiresAt } = questionFacts(asked, viewer, '')
  return {
    id: asked.id,
    server,
    asker,
    ...(requester !== undefined && { requester }),
    what: whatOf(asked),
    line: lineOf(asked),
    ...(left !== undefined && { left }),
    createdAt,
    expiresAt,
    href: inboxPath(place, asked.id),
    ...(asked.priority !== undefined && asked.priority !== 'normal' && { priority: asked.priority }),
  }
}

/** Which part of the inbox is shown. */
export interface InboxPlace {
  /** Only the questions of this requester, by `requesterKey`. */
  readonly of?: string
  /** Only what is older than this question, or than the newest one of its client. */
  readonly after?: ElicitationId
  /** With boxes to select questions by. */
  readonly select?: boolean
}

/** A page of the inbox. */
export interface InboxList {
  readonly total: number
  readonly clients: readonly { readonly shown: readonly Elicitation[]; readonly all?: number; readonly key: string }[]
  /** Where the next page begins, if there is one. */
  readonly next?: InboxPlace
}

const mostClients = 10
const mostOfEach = 2
const mostOfOne = 20

/**
 * Reads a page: the newest questions of every client, so that none can hide those of another; or all of one client. Where
 * only one client asks, both are the same.
 */
export async function readList(
  { listRequesters, listOpenOf }: Pick<AssentForWeb, 'listRequesters' | 'listOpenOf'>,
  person: Person,
  { of, after }: InboxPlace,
): Promise<InboxList> {
  const { total, requesters } = await listRequesters(person, mostClients + 1, of === undefined ? after : undefined)
  const [only] = requesters.length === 1 && after === undefined ? requesters : []
  const key = of ?? only?.requester
  if (key !== undefined) {
    const found = await listOpenOf(person, key, mostOfOne + 1, of === undefined ? undefined : after)
    const shown = found.slice(0, mostOfOne)
    const next = found.length > mostOfOne ? { of: key, after: shown.at(-1)?.id as ElicitationId } : undefined
    return { total, clients: shown.length === 0 ? [] : [{ key, shown }], ...(next && { next }) }
  }
  const clients = await Promise.all(
    requesters.slice(0, mostClients).map(async ({ requester, count }) => {
      const shown = await listOpenOf(person, requester, mostOfEach)
      return { key: requester, shown, ...(count > shown.length && { all: count }) }
    }),
  )
  const last = requesters.length > mostClients ? requesters[mostClients - 1]?.first.id : undefined
  return { total, clients: clients.filter(({ shown }) => shown.length > 0), ...(last && { next: { after: last } }) }
}

/** The address of a part of the inbox, with this question open. */
export function inboxPath({ of, after, select }: InboxPlace, open?: ElicitationId): string {
  const parts = { ...(of && { of }), ...(after && { after }), ...(open && { open }), ...(select && { select: '1' }) }
  const query = new URLSearchParams(parts).toString()
  return query === '' ? '/inbox' : `/inbox?${query}`
}

/** What the answer would do, as verb and object, without the server's words. */
export function whatOf(asked: Elicitation): string {
  const { purpose, origin, question } = asked
  switch (purpose) {
    case 'approval':
      return `Run ${approvalIn(asked)?.call.tool ?? 'a tool'}`
    case 'secret':
      return `Save a key for ${origin.server}`
    case 'connect':
      return `Connect ${(question.mode === 'url' && question.connect?.provider) || 'an account'}`
    case 'confirm':
      return `Let ${origin.server} go ahead`
    case 'input':
      return `Send an answer to ${origin.server}`
  }
}

/** The arguments on one line; for other questions what the server wrote, in quotation marks. */
function lineOf(asked: Elicitation): string {
  const about = approvalIn(asked)
  if (about === undefined) {
    const words = (labelsFrom(asked, ['title']).title ?? asked.question.message).trim()
    return words === '' ? '' : `“${words}”`
  }
  return Object.entries(callNow(asked, about).arguments)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

/** How a question ended, in a few words: "Allowed by you". Undefined while it is open. */
export function endWords(asked: Elicitation, viewer: Person): string | undefined {
  const { state } = asked
  if (!isSettled(asked)) return undefined
  switch (state.kind) {
    case 'answered':
      return `${answerWords(asked, viewer)} by ${state.by.participant === viewer.participant ? 'you' : personName(state.by.participant)}`
    case 'expired':
      return 'Nobody answered'
    case 'failed':
      return 'Failed'
    case 'withdrawn':
    case 'open':
      return 'Withdrawn'
  }
}

function answerWords(asked: Elicitation, viewer: Person): string {
  const { state, purpose } = asked
  const action = state.kind === 'answered' ? state.answer.action : 'cancel'
  if (action === 'cancel') return 'Cancelled'
  if (purpose !== 'approval') return action === 'accept' ? 'Answered' : 'Declined'
  return approvalEnd(asked, viewer)?.effect === 'allow' ? 'Allowed' : 'Denied'
}
