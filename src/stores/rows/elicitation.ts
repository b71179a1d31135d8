import type { JsonObject } from '../../base/json.ts'
import type { Answerers } from '../../elicitation/answering/answerers.ts'
import type {
  AnsweredBy,
  Elicitation,
  ElicitationId,
  ElicitationState,
  KeptAnswer,
  Origin,
  Purpose,
  Question,
} from '../../elicitation/elicitation.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import type { Whole } from './values.ts'

/** One elicitation as SQL keeps it. Times are milliseconds; what nobody searches by is JSON in `question` and `outcome`. */
export interface ElicitationRow {
  id: string
  version: Whole
  state: ElicitationState['kind']
  /** `requesterKey`, to count what a requester has open. */
  requester: string
  participant: string
  type: string | null
  identity: string
  expires_at: Whole
  settled_at: Whole | null
  /** Kept here alone, so that one plain UPDATE forgets a name. */
  answered_by: string | null
  /** The key that a sealed answer needs. */
  sealed_key: string | null
  question: string
  /** The settled state, without what has a column of its own. */
  outcome: string | null
}

interface Asked {
  question: Question
  purpose: Purpose
  origin: Origin
  requester: Requester
  answerers: Answerers
  metadata: JsonObject
  createdAt: number
}

/** The columns that settling writes. */
export type StateColumns = Pick<ElicitationRow, 'state' | 'settled_at' | 'answered_by' | 'sealed_key' | 'outcome'>

/** `fromRow` gives back what was put in, but for keys that were undefined: those come back absent. */
export function toRow(elicitation: Elicitation): ElicitationRow {
  const { id, version, type, identity, expiresAt, createdAt, state, ...asked } = elicitation
  return {
    id,
    version,
    requester: requesterKey(asked.requester),
    participant: asked.requester.participant,
    type: type ?? null,
    identity,
    expires_at: expiresAt.getTime(),
    question: JSON.stringify({ ...asked, createdAt: createdAt.getTime() } satisfies Asked),
    ...toStateColumns(state),
  }
}

/** The state alone: all that a save may change. */
export function toStateColumns(state: ElicitationState): StateColumns {
  const none = { settled_at: null, answered_by: null, sealed_key: null, outcome: null }
  switch (state.kind) {
    case 'open':
      return { ...none, state: state.kind }
    case 'expired':
      return { ...none, state: state.kind, settled_at: state.at.getTime() }
    case 'failed':
    case 'withdrawn':
      return {
        ...none,
        state: state.kind,
        settled_at: state.at.getTime(),
        outcome: JSON.stringify({ reason: state.reason }),
      }
    case 'answered': {
      const { answer, by, at } = state
      const { participant, ...way } = by
      return {
        state: state.kind,
        settled_at: at.getTime(),
        answered_by: participant,
        sealed_key: 'sealed' in answer ? answer.sealed.key : null,
        outcome: JSON.stringify({ answer, by: way }),
      }
    }
  }
}

/** The record that was kept. */
export function fromRow(row: ElicitationRow): Elicitation {
  const { createdAt, ...asked }: Asked = JSON.parse(row.question)
  return {
    id: row.id as ElicitationId,
    version: Number(row.version),
    ...asked,
    ...(row.type === null ? {} : { type: row.type }),
    identity: row.identity,
    createdAt: new Date(createdAt),
    expiresAt: new Date(Number(row.expires_at)),
    state: stateOf(row),
  }
}

/** The state that was kept. */
function stateOf(row: StateColumns): ElicitationState {
  const at = new Date(Number(row.settled_at))
  switch (row.state) {
    case 'open':
      return { kind: row.state }
    case 'expired':
      return { kind: row.state, at }
    case 'failed':
    case 'withdrawn': {
      const { reason }: { reason: string } = outcomeOf(row)
      return { kind: row.state, reason, at }
    }
    case 'answered': {
      const { answer, by }: { answer: KeptAnswer; by: Omit<AnsweredBy, 'participant'> } = outcomeOf(row)
      return { kind: row.state, answer, by: { ...by, participant: row.answered_by as ParticipantId }, at }
    }
  }
}

function outcomeOf({ outcome }: StateColumns) {
  return JSON.parse(outcome ?? '{}')
}
