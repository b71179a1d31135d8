import type { Answerer } from '../../elicitation/answering/answerers.ts'
import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import { type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import type { ElicitationStore } from '../../elicitation/store.ts'
import { answerersNow } from '../../elicitation/voting/voting.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { AlreadyStored } from '../errors.ts'
import {
  type ElicitationRow,
  elicitationColumns,
  fromElicitationRow,
  namesInVoting,
  toElicitationRow,
} from '../rows/elicitation.ts'
import { fromName, toName } from '../rows/values.ts'
import {
  deletedAtOnce,
  type Place,
  type ReadRow,
  recordsIn,
  repeated,
  rowFromFlat,
  sealedPlace,
  type WrittenRecord,
  withNulls,
  written,
} from './records.ts'
import {
  deleteSettledScript,
  forgetAsker,
  forgetInVotes,
  latestAnswered,
  listWaitingOf,
  listWaitingRequesters,
  saveElicitation,
} from './scripts/elicitations.ts'
import type { RedisServer } from './server/server.ts'

/** Where questions are, for those who look whether they are still open. */
export const elicitationTable = 'elicitation'

/** Elicitations in Redis. A save is announced on the channel in the same script. */
export function redisElicitations(server: RedisServer): ElicitationStore {
  const kept = recordsIn(server, elicitationTable)

  /** Where the page after this question begins, in the order of `prefix`; the beginning if there is no such question. */
  async function startAfter(after: ElicitationId | undefined, prefix: (row: ElicitationRow) => string) {
    const last = after && (await kept.get(after))
    return last ? `(${prefix(recordRow(last))}${last['#seq']}:` : '-'
  }

  async function listBy(indexes: readonly string[], from: string, to: string, limit: number): Promise<Elicitation[]> {
    const rows = await kept.list(indexes, [from, to, 'BYLEX', 'LIMIT', 0, limit], limit)
    return rows.map(fromRow)
  }

  return {
    async add(elicitation, limits) {
      const record = recordOf(elicitation)
      const requester = `open of requester:${record.columns.requester}`
      const participant = `open of participant:${record.columns.participant}`
      const added = await kept.add(record, [
        { index: requester, most: limits.requester },
        { index: participant, most: limits.participant },
      ])
      switch (added.kind) {
        case 'added':
          return { kind: 'added' }
        case 'full':
          return { kind: 'full', of: added.index === requester ? 'requester' : 'participant' }
        case 'taken': {
          const other = fromRow(added.row)
          if (other.identity !== elicitation.identity) throw new AlreadyStored('question')
          return { kind: 'joined', elicitation: other }
        }
      }
    },
    async get(id) {
      const row = await kept.get(id)
      return row && fromRow(row)
    },
    async saveIfUnchanged(next) {
      const { requester, type, state, id, version } = next
      const latest = state.kind === 'answered' && type !== undefined ? latestName(requester.participant, type) : ''
      const before = String(version - 1)
      const args = { ...written(changesOf(next)), id, before, latest, channel: server.channel }
      return (await kept.run<number>(saveElicitation, args)) === 1
    },
    async listOpen(answerers, limit, after) {
      if (answerers.length === 0) return []
      const from = await startAfter(after, urgencyPrefix)
      return listBy(answerers.map(waitingIndex), from, '+', limit)
    },
    async listRequesters(answerers, moment, limit, after) {
      const args = { answerers, moment: sortable(moment.getTime()), limit: String(limit), ...afterKey(after) }
      const [total, found] = await kept.run<[number, [string, number, string[]][]]>(listWaitingRequesters, args)
      const requesters = found.map(([requester, count, row]) => {
        return { requester: fromName(requester), count, first: fromRow(rowFromFlat(row)) }
      })
      return { total, requesters }
    },
    async listOpenOf(answerers, requester, moment, limit, after) {
      const asked = {
        answerers,
        requester: toName(requester),
        moment: sortable(moment.getTime()),
        limit: String(limit),
      }
      const found = await kept.run<string[][]>(listWaitingOf, { ...asked, ...afterKey(after) })
      return found.map((row) => fromRow(rowFromFlat(row)))
    },
    async listAllOpen(limit, after) {
      return listBy(['due'], await startAfter(after, expiryPrefix), '+', limit)
    },
    listDue: (moment, limit) => listBy(['due'], '-', upTo(moment), limit),
    listEscalating: (moment, limit) => listBy(['escalating'], '-', upTo(moment), limit),
    async latestAnswered(participant, type) {
      const row = await kept.run<string[]>(latestAnswered, { latest: latestName(participant, type) })
      return row.length === 0 ? undefined : fromRow(rowFromFlat(row))
    },
    async listSealedExcept(key, limit) {
      return (await kept.listSealedExcept(key, limit)).map(fromRow)
    },
    sealingKeys: kept.sealingKeys,
    deleteSettled: (moment, limit) =>
      kept.run<number>(deleteSettledScript, { moment: String(moment.getTime()), limit: String(limit) }),
    async forget(participant) {
      const args = { name: participant, channel: server.channel, limit: String(deletedAtOnce) }
      const deleted = await repeated(() => kept.run<number>(forgetAsker, args))
      await kept.run<number>(forgetInVotes, { name: participant, replaced: namesInVoting(participant) })
      await kept.forgetName(participant, ['answered_by'])
      return deleted
    },
  }
}

const waitingIndex = (answerer: Answerer) => `waiting:${answerer}`
const latestName = (participant: ParticipantId, type: string) => JSON.stringify([participant, type])
const afterKey = (after: ElicitationId | undefined) => (after === undefined ? {} : { after: toName(after) })
const expiryPrefix = ({ expires_at }: ElicitationRow) => sortable(Number(expires_at))
const urgencyPrefix = (row: ElicitationRow) => `${row.urgency}${expiryPrefix(row)}`

/** A moment as 17 digits that sort as the moments do, also those before 1970. */
function sortable(ms: number): string {
  return String(BigInt(ms) + 10n ** 16n).padStart(17, '0')
}

/** Above every member that begins with a moment up to this one. */
const upTo = (moment: Date) => `(${sortable(moment.getTime())}:`

function recordOf(elicitation: Elicitation): WrittenRecord {
  const row = toElicitationRow(elicitation)
  return {
    key: elicitation.id,
    columns: { ...row },
    places: placesOf(elicitation, row),
    uniques: isSettled(elicitation) ? [] : [`identity:${row.identity}`],
    names: ['answered_by'],
  }
}

/** Only what a save may change. The name of who answered is written once. */
function changesOf(next: Elicitation): WrittenRecord {
  const record = recordOf(next)
  const { version, state, settled_at, answered_by, sealed_key, outcome, escalates_at, voting } = toElicitationRow(next)
  return {
    ...record,
    columns: { version, state, settled_at, sealed_key, outcome, escalates_at, voting },
    first: answered_by === null ? {} : { answered_by },
  }
}

function placesOf(elicitation: Elicitation, row: ElicitationRow): Place[] {
  const always = [
    { index: `of:${row.participant}`, score: 'seq' } as const,
    ...sealedPlace(row.sealed_key),
    ...namesIn(row.voting).map((name) => ({ index: `named:${name}`, score: 0 })),
  ]
  if (isSettled(elicitation)) return always
  const waiting = { score: 0, before: urgencyPrefix(row), ordered: true, note: row.requester }
  return [
    ...always,
    { index: `open of requester:${row.requester}`, score: 0 },
    { index: `open of participant:${row.participant}`, score: 0 },
    { index: 'due', score: 0, before: expiryPrefix(row), ordered: true },
    ...answerersNow(elicitation).map((answerer) => ({ index: waitingIndex(answerer), ...waiting })),
    ...(row.escalates_at === null
      ? []
      : [{ index: 'escalating', score: 0, before: sortable(Number(row.escalates_at)), ordered: true }]),
  ]
}

/** Everybody whose name `namesInVoting` would replace. */
function namesIn(voting: string | null): string[] {
  const found = [...(voting ?? '').matchAll(/"(?:by|from|to)":"([^"\\]*)"/g)].map(([, name]) => name as string)
  return [...new Set(found)].filter((name) => name !== forgottenParticipant)
}

function recordRow(row: ReadRow): ElicitationRow {
  return withNulls<ElicitationRow>(row, elicitationColumns)
}

const fromRow = (row: ReadRow) => fromElicitationRow(recordRow(row))
