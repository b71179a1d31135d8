import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import { type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import type { Added, ElicitationStore, OpenLimits } from '../../elicitation/store.ts'
import { answerersNow } from '../../elicitation/voting/voting.ts'
import {
  type ElicitationRow,
  fromElicitationRow,
  namesInVoting,
  toElicitationRow,
  toStateColumns,
  toVotingColumns,
} from '../rows/elicitation.ts'
import type { SqliteChanges } from './changes.ts'
import { checkpoint } from './checkpoint.ts'
import type { SqliteDatabase, SqliteRow } from './driver.ts'
import { runRead } from './driver.ts'
import type { Writer } from './writer.ts'

const record = (row: SqliteRow | undefined) => row && fromElicitationRow(row as unknown as ElicitationRow)
const records = (rows: SqliteRow[]) => rows.map((row) => fromElicitationRow(row as unknown as ElicitationRow))

/** Elicitations in SQLite. */
export function sqliteElicitations(database: SqliteDatabase, writer: Writer, changes: SqliteChanges): ElicitationStore {
  const sql = statements(database)

  function add(elicitation: Elicitation, limits: OpenLimits): Added {
    const row = toElicitationRow(elicitation)
    const added = sql.insert.run(
      row.id,
      Number(row.version),
      row.state,
      row.requester,
      row.participant,
      row.type,
      row.identity,
      Number(row.expires_at),
      row.question,
      Number(row.urgency),
      row.escalates_at === null ? null : Number(row.escalates_at),
      row.requester,
      limits.requester,
      row.participant,
      limits.participant,
    )
    if (added === 1) return { kind: 'added' }
    const joined = record(sql.openByIdentity.get(row.identity))
    if (joined) return { kind: 'joined', elicitation: joined }
    if (Number(sql.countOpen.get(row.requester)?.open) >= limits.requester) return { kind: 'full', of: 'requester' }
    if (Number(sql.countOpenFor.get(row.participant)?.open) >= limits.participant)
      return { kind: 'full', of: 'participant' }
    // Neither joined nor full: another process settled the conflicting question in this moment.
    return add(elicitation, limits)
  }

  function save(next: Elicitation): boolean {
    const row = toStateColumns(next.state)
    const { voting, escalates_at } = toVotingColumns(next)
    const saved = sql.save.run(
      next.version,
      row.state,
      row.settled_at === null ? null : Number(row.settled_at),
      row.answered_by,
      row.sealed_key,
      row.outcome,
      voting,
      escalates_at === null ? null : Number(escalates_at),
      row.state,
      next.id,
      next.version - 1,
    )
    if (saved === 1 && voting !== null && row.state === 'open') {
      sql.askAlso.run(next.id, JSON.stringify(answerersNow(next)))
    }
    return saved === 1
  }

  /** The position after which a page begins, as urgency, expiry and order of asking. For an unknown id it is the beginning. */
  function startAfter(after: ElicitationId | undefined): [urgency: number, expiresAt: number, seq: number] {
    const last = after === undefined ? undefined : sql.placeOf.get(after)
    if (last === undefined) return [0, Number.MIN_SAFE_INTEGER, 0]
    return [Number(last.urgency), Number(last.expires_at), Number(last.seq)]
  }

  /** The position after which a page of less urgent or older questions begins. For an unknown id it is the beginning. */
  function placeOf(after: ElicitationId | undefined): number {
    const last = after === undefined ? undefined : sql.placeOf.get(after)
    return last === undefined ? Number.MIN_SAFE_INTEGER : Number(last.place)
  }

  /** Page by page, because no index finds a name within votes. */
  async function scrubVoting(name: string, other: string): Promise<void> {
    for (let last: number | undefined = 0; last !== undefined; ) {
      const after: number = last
      last = await writer.write(() => {
        const end = sql.endOfVoting.get(after)?.seq
        if (typeof end !== 'number') return undefined
        sql.scrubVoting.run(name, other, after, end, name)
        return end
      })
    }
  }

  return {
    add: (elicitation, limits) => writer.writeOne(() => add(elicitation, limits)),
    get: (id) => runRead(() => record(sql.get.get(id))),
    async saveIfUnchanged(next) {
      const isSingle = next.voting === undefined || isSettled(next)
      const saved = await (isSingle ? writer.writeOne(() => save(next)) : writer.write(() => save(next)))
      if (saved) changes.saved(next.id)
      return saved
    },
    listOpen: (answerers, limit, after) =>
      runRead(() => records(sql.listOpen.all(JSON.stringify(answerers), ...startAfter(after), limit))),
    listRequesters: (answerers, moment, limit, after) =>
      runRead(() => {
        const waiting = [moment.getTime(), JSON.stringify(answerers)] as const
        const groups = sql.listRequesters.all(...waiting, placeOf(after), limit)
        const requesters = groups.flatMap(({ requester, open, seq }) => {
          const [first] = records(sql.getBySeq.all(Number(seq)))
          return first === undefined ? [] : [{ requester: String(requester), count: Number(open), first }]
        })
        return { total: Number(sql.countWaiting.get(...waiting)?.open), requesters }
      }),
    listOpenOf: (answerers, requester, moment, limit, after) =>
      runRead(() =>
        records(sql.listOpenOf.all(moment.getTime(), JSON.stringify(answerers), requester, placeOf(after), limit)),
      ),
    listAllOpen: (limit, after) => runRead(() => records(sql.listAllOpen.all(...startAfter(after).slice(1), limit))),
    listDue: (moment, limit) => runRead(() => records(sql.listDue.all(moment.getTime(), limit))),
    listEscalating: (moment, limit) => runRead(() => records(sql.listEscalating.all(moment.getTime(), limit))),
    latestAnswered: (participant, type) => runRead(() => record(sql.latest.get(participant, type))),
    listSealedExcept: (key, limit) => runRead(() => records(sql.sealedExcept.all(key, limit))),
    sealingKeys: () => runRead(() => sql.sealingKeys.all().map(({ sealed_key }) => String(sealed_key))),
    deleteSettled: (moment, limit) => writer.writeOne(() => sql.deleteSettled.run(moment.getTime(), limit)),
    async forget(participant) {
      await writer.writeInSlices((limit) => sql.scrub.run(forgottenParticipant, participant, limit))
      for (const [name, other] of namesInVoting(participant)) await scrubVoting(name, other)
      const deleted = await writer.writeInSlices((limit) => sql.forget.run(participant, limit))
      changes.deleted()
      // Deleted data must not stay in the write-ahead log.
      checkpoint(database, 'TRUNCATE')
      return deleted
    },
  }
}

const columns =
  'id, version, state, requester, participant, type, identity, expires_at, settled_at, answered_by, sealed_key, question, outcome, urgency, escalates_at, voting'

/** Orders by urgency, then the newest first; one number, so that a page can begin after it. */
const place = '((urgency << 48) - seq)'

const waitingFor = `state = 'open' AND expires_at > ?
        AND seq IN (SELECT w.seq FROM waiting w JOIN json_each(?) a ON w.answerer = a.value)`

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    insert: prepare(`
      INSERT INTO elicitation (id, version, state, requester, participant, type, identity, expires_at, question, urgency, escalates_at)
      SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
      WHERE (SELECT count(*) FROM elicitation WHERE requester = ? AND state = 'open') < ?
        AND (SELECT count(*) FROM elicitation WHERE participant = ? AND state = 'open') < ?
      ON CONFLICT (identity) WHERE state = 'open' DO NOTHING`),
    countOpen: prepare("SELECT count(*) AS open FROM elicitation WHERE requester = ? AND state = 'open'"),
    countOpenFor: prepare("SELECT count(*) AS open FROM elicitation WHERE participant = ? AND state = 'open'"),
    openByIdentity: prepare(`SELECT ${columns} FROM elicitation WHERE identity = ? AND state = 'open'`),
    get: prepare(`SELECT ${columns} FROM elicitation WHERE id = ?`),
    save: prepare(`
      UPDATE elicitation SET version = ?, state = ?, settled_at = ?, answered_by = coalesce(answered_by, ?), sealed_key = ?, outcome = ?,
        voting = ?, escalates_at = ?,
        settled = CASE WHEN ? = 'open' THEN NULL ELSE coalesce(settled, (SELECT coalesce(max(settled), 0) + 1 FROM elicitation WHERE settled IS NOT NULL)) END
      WHERE id = ? AND version = ?`),
    listOpen: prepare(`
      SELECT ${columns} FROM elicitation WHERE state = 'open'
        AND seq IN (SELECT w.seq FROM waiting w JOIN json_each(?) a ON w.answerer = a.value)
        AND (urgency, expires_at, seq) > (?, ?, ?)
      ORDER BY urgency, expires_at, seq LIMIT ?`),
    listRequesters: prepare(`
      SELECT requester, count(*) AS open, min(${place}) AS place, seq FROM elicitation WHERE ${waitingFor}
      GROUP BY requester HAVING place > ? ORDER BY place LIMIT ?`),
    countWaiting: prepare(`SELECT count(*) AS open FROM elicitation WHERE ${waitingFor}`),
    listOpenOf: prepare(`
      SELECT ${columns} FROM elicitation WHERE ${waitingFor} AND requester = ? AND ${place} > ?
      ORDER BY ${place} LIMIT ?`),
    getBySeq: prepare(`SELECT ${columns} FROM elicitation WHERE seq = ?`),
    listAllOpen: prepare(`
      SELECT ${columns} FROM elicitation WHERE state = 'open' AND (expires_at, seq) > (?, ?)
      ORDER BY expires_at, seq LIMIT ?`),
    placeOf: prepare(`SELECT urgency, expires_at, seq, ${place} AS place FROM elicitation WHERE id = ?`),
    askAlso: prepare(`
      INSERT OR IGNORE INTO waiting
      SELECT value, (SELECT seq FROM elicitation WHERE id = ?) FROM json_each(?)`),
    listDue: prepare(
      `SELECT ${columns} FROM elicitation WHERE state = 'open' AND expires_at <= ? ORDER BY expires_at, seq LIMIT ?`,
    ),
    listEscalating: prepare(`
      SELECT ${columns} FROM elicitation WHERE state = 'open' AND escalates_at IS NOT NULL AND escalates_at <= ?
      ORDER BY escalates_at, seq LIMIT ?`),
    latest: prepare(`
      SELECT ${columns} FROM elicitation WHERE participant = ? AND type = ? AND state = 'answered'
      ORDER BY settled DESC LIMIT 1`),
    sealedExcept: prepare(`SELECT ${columns} FROM elicitation WHERE sealed_key <> ? LIMIT ?`),
    sealingKeys: prepare('SELECT DISTINCT sealed_key FROM elicitation WHERE sealed_key IS NOT NULL'),
    deleteSettled: prepare(`
      DELETE FROM elicitation WHERE seq IN (
        SELECT seq FROM elicitation e WHERE settled_at IS NOT NULL AND settled_at < ?
          AND NOT (type IS NOT NULL AND state = 'answered' AND NOT EXISTS (
            SELECT 1 FROM elicitation n WHERE n.participant = e.participant AND n.type = e.type
              AND n.state = 'answered' AND n.type IS NOT NULL AND n.settled > e.settled))
        LIMIT ?)`),
    forget: prepare('DELETE FROM elicitation WHERE seq IN (SELECT seq FROM elicitation WHERE participant = ? LIMIT ?)'),
    // Their own are deleted.
    scrub: prepare(`
      UPDATE elicitation SET answered_by = ? WHERE seq IN (
        SELECT seq FROM elicitation
        WHERE answered_by = ? AND answered_by <> participant AND answered_by <> '${forgottenParticipant}' LIMIT ?)`),
    endOfVoting: prepare(`
      SELECT max(seq) AS seq FROM (
        SELECT seq FROM elicitation WHERE voting IS NOT NULL AND seq > ? ORDER BY seq LIMIT 1000)`),
    // A new version, so that a save of what was read before does not bring the name back.
    scrubVoting: prepare(`
      UPDATE elicitation SET version = version + 1, voting = replace(voting, ?, ?)
      WHERE voting IS NOT NULL AND seq > ? AND seq <= ? AND instr(voting, ?) > 0`),
  }
}
