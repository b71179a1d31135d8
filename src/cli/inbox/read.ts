import type { Decision } from '../../approval/policy/policy.ts'
import { type Choice, choicesFor, choiceText } from '../../approval/question/choices.ts'
import { callNow } from '../../approval/question/page-form.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import type { Assent } from '../../assent.ts'
import { BadArgument } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import { answerLink } from '../../elicitation/answering/answer-link.ts'
import type { Answering } from '../../elicitation/answering/answerers.ts'
import { askerLeftAt, type Elicitation, type ElicitationId } from '../../elicitation/elicitation.ts'
import { missingVotes } from '../../elicitation/voting/count.ts'
import { quorumOf, type Voting } from '../../elicitation/voting/voting.ts'
import { localParticipant } from '../../participant/participant.ts'
import type { Config } from '../config/config.ts'

/** The only person of an installation without a login, answering at a terminal. */
export const atTerminal: Answering = { participant: localParticipant, groups: [], via: 'terminal' }

/** An open question, with what is needed to answer it. */
export interface InboxItem {
  readonly asked: Elicitation
  readonly link: string
  /** Only for approvals. */
  readonly approval?: { readonly call: ToolCall; readonly decision: Decision; readonly choices: readonly Choice[] }
}

/** What waits for the local person, in an order in which no client can hide what another asks: the newest of each first. */
export async function readInbox(assent: Assent): Promise<InboxItem[]> {
  const clients = await readClients(assent)
  const most = clients.reduce((sum, { length }) => Math.max(sum, length), 0)
  return Array.from({ length: most }, (_, round) => clients.flatMap((items) => items[round] ?? [])).flat()
}

/** The same by client: the client that asked last first, and of each the newest first. */
export async function readClients(assent: Assent): Promise<InboxItem[][]> {
  const clients: InboxItem[][] = []
  for (let after: ElicitationId | undefined; ; ) {
    const { requesters } = await assent.listRequesters(atTerminal, pageSize, after)
    for (const { requester } of requesters) clients.push(await readClient(assent, requester))
    if (requesters.length < pageSize) return clients
    after = requesters.at(-1)?.first.id
  }
}

async function readClient(assent: Assent, requester: string): Promise<InboxItem[]> {
  const items: InboxItem[] = []
  for (;;) {
    const page = await assent.listOpenOf(atTerminal, requester, pageSize, items.at(-1)?.asked.id)
    items.push(...page.map((asked) => waiting(assent, asked)))
    if (page.length < pageSize) return items
  }
}

const pageSize = 200

/** The question whose id is, or begins with, `id`. */
export async function findInInbox(assent: Assent, id: string): Promise<InboxItem | undefined> {
  const found = (await readInbox(assent)).filter(({ asked }) => asked.id.startsWith(id))
  if (found.length > 1)
    throw new BadArgument(`The ids of ${found.length} questions begin with ${id}. Write more of the id.`)
  return found[0]
}

function waiting({ linkTo }: Assent, asked: Elicitation): InboxItem {
  const link = answerLink((id: ElicitationId, page: string) => linkTo(id, page), asked)
  const about = approvalIn(asked)
  if (about === undefined) return { asked, link }
  return {
    asked,
    link,
    approval: {
      ...about,
      // As it would run now: another approver may have changed it.
      call: callNow(asked, about),
      choices: choicesFor(about.call, about.decision, localParticipant, 'page'),
    },
  }
}

/** Throws where people sign in: only the pages know who somebody is. Without a login, whoever runs this is the one person. */
export function refuseStrangers({ auth, store, publicUrl }: Config): void {
  if (auth !== undefined) {
    throw new BadArgument(`People sign in here, which a terminal cannot do. Answer at ${publicUrl}/inbox.`)
  }
  if (store.startsWith('memory:')) {
    throw new BadArgument('With the store memory: only the gateway sees the questions. Answer on its pages.')
  }
}

/** The question as JSON, for scripts. */
export function asJson({ asked, link, approval }: InboxItem): JsonObject {
  const { id, purpose, origin, requester, createdAt, expiresAt, question } = asked
  const { participant, client, clientName } = requester
  const quorum = quorumOf(asked)
  const left = askerLeftAt(asked)
  return {
    id,
    purpose,
    server: origin.server,
    requester: { participant, client, ...(clientName !== undefined && { clientName }) },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    ...(left !== undefined && { sessionEndedAt: left.toISOString() }),
    link,
    priority: asked.priority ?? 'normal',
    ...(quorum > 1 && { quorum, missing: missingVotes(asked) }),
    ...(asked.voting && { voting: votingData(asked.voting) }),
    ...(approval === undefined
      ? { message: question.message }
      : {
          tool: approval.call.tool,
          arguments: approval.call.arguments,
          reason: approval.decision.why.words,
          editable: [...approval.decision.editable],
          choices: approval.choices.map(choiceText),
        }),
  }
}

/** Who voted what, to whom it was handed on, and who was asked too. */
function votingData({ votes, outdated, delegations, escalations, edit }: Voting): JsonObject {
  return {
    votes: votes.map(({ by, choice, at, via }) => ({ by, choice, at: at.toISOString(), via })),
    outdated: outdated.map(({ by }) => by),
    delegations: delegations.map(({ from, to, at }) => ({ from, to, at: at.toISOString() })),
    escalations: escalations.map(({ to, at }) => ({ to: [...to], at: at.toISOString() })),
    ...(edit && { editedBy: edit.by }),
  }
}
