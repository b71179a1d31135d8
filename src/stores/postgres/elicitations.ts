import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import type { ElicitationStore, OpenLimits } from '../../elicitation/store.ts'
import { answerersNow } from '../../elicitation/voting/voting.ts'
import {
  type ElicitationRow,
  elicitationColumns,
  fromElicitationRow,
  namesInVoting,
  toElicitationRow,
  toStateColumns,
  toVotingColumns,
} from '../rows/elicitation.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'

const row = elicitationColumns.join(', ')

// The function is in migrations.ts.
const add: PostgresStatement = {
  name: 'assent_add_voting',
  text: `select added, full_of, ${elicitationColumns.map((column) => `(kept).${column}`).join(', ')}
    from assent_add_voting($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
}

interface AddedRow extends ElicitationRow {
  readonly added: boolean
  readonly full_of: keyof OpenLimits | null
}

const get: PostgresStatement = {
  name: 'assent_get',
  text: `select ${row} from assent_elicitation where id = $1`,
}

// The answerer and the position in the order of settling are written once, so that resealing an answer neither moves it
// nor restores a name that was forgotten meanwhile.
const save: PostgresStatement = {
  name: 'assent_save',
  text: `
    with saved as (
      update assent_elicitation set
        version = $2, state = $3, settled_at = $4, answered_by = coalesce(answered_by, $5), sealed_key = $6, outcome = $7,
        voting = $8, escalates_at = $9,
        settled = case when $3 = 'open' then settled else coalesce(settled, nextval('assent_settling')) end
      where id = $1 and version = $2 - 1
      returning seq, id, state
    ), answerable as (
      delete from assent_waiting using saved where assent_waiting.seq = saved.seq and saved.state <> 'open'
    ), asked_also as (
      insert into assent_waiting (answerer, seq)
      select also, saved.seq from saved, unnest($10::text[]) as also where saved.state = 'open'
      on conflict do nothing
    )
    select id from saved`,
}

// The position after which a page begins. For an unknown id it is the beginning.
const startAfter = (id: string) => `(
  select coalesce(max(expires_at), ${Number.MIN_SAFE_INTEGER}), coalesce(max(seq), 0)
  from assent_elicitation where id = ${id})`

const startAfterUrgency = (id: string) => `(
  select coalesce(max(urgency), 0), coalesce(max(expires_at), ${Number.MIN_SAFE_INTEGER}), coalesce(max(seq), 0)
  from assent_elicitation where id = ${id})`

// assent_waiting has rows for open questions only.
const listOpen: PostgresStatement = {
  name: 'assent_list_open',
  text: `select ${row} from assent_elicitation
    where seq in (select seq from assent_waiting where answerer = any($1)) and (urgency, expires_at, seq) > ${startAfterUrgency('$3')}
    order by urgency, expires_at, seq limit $2`,
}

// Orders by urgency, then the newest first; one number, so that a page can begin after it.
const place = '((urgency::bigint << 48) - seq)'

// The position after which a page of less urgent or older questions begins. For an unknown id it is the beginning.
const startPast = (id: string) => `(
  select coalesce(max(${place}), ${Number.MIN_SAFE_INTEGER}) from assent_elicitation where id = ${id})`

const waitingFor = 'seq in (select seq from assent_waiting where answerer = any($1)) and expires_at > $2'

const listRequesters: PostgresStatement = {
  name: 'assent_list_requesters',
  text: `
    with grouped as (
      select requester, count(*) as open, min(${place}) as place from assent_elicitation where ${waitingFor} group by requester
    )
    select open, ${elicitationColumns.map((column) => `kept.${column}`).join(', ')}
    from grouped join assent_elicitation kept
      on kept.seq = ((place + (1::bigint << 48)) >> 48 << 48) - place
    where place > ${startPast('$4')} order by place limit $3`,
}

const countWaiting: PostgresStatement = {
  name: 'assent_count_waiting',
  text: `select count(*) as open from assent_elicitation where ${waitingFor}`,
}

// The condition on `settled_at` is that of the index by requester.
const listOpenOf: PostgresStatement = {
  name: 'assent_list_open_of_one',
  text: `select ${row} from assent_elicitation
    where ${waitingFor} and requester = $3 and settled_at is null and ${place} > ${startPast('$5')} order by ${place} limit $4`,
}

const listAllOpen: PostgresStatement = {
  name: 'assent_list_all_open',
  text: `select ${row} from assent_elicitation
    where settled is null and (expires_at, seq) > ${startAfter('$2')} order by expires_at, seq limit $1`,
}

const listDue: PostgresStatement = {
  name: 'assent_list_due',
  text: `select ${row} from assent_elicitation
    where settled is null and expires_at <= $1 order by expires_at, seq limit $2`,
}

const listEscalating: PostgresStatement = {
  name: 'assent_list_escalating',
  text: `select ${row} from assent_elicitation
    where escalates_at <= $1 order by escalates_at, seq limit $2`,
}

const latestAnswered: PostgresStatement = {
  name: 'assent_latest_answered',
  text: `select ${row} from assent_elicitation
    where state = 'answered' and participant = $1 and type = $2 order by settled desc limit 1`,
}

const listSealedExcept: PostgresStatement = {
  name: 'assent_list_sealed_except',
  text: `select ${row} from assent_elicitation where sealed_key is not null and sealed_key <> $1 limit $2`,
}

const sealingKeys: PostgresStatement = {
  name: 'assent_sealing_keys',
  text: `select distinct sealed_key from assent_elicitation where sealed_key is not null`,
}

// Locked rows are skipped, so that two concurrent clean-ups share the work and do not block each other.
const deleteSettled: PostgresStatement = {
  name: 'assent_delete_settled',
  text: `
    delete from assent_elicitation where seq in (
      select seq from assent_elicitation old
      where settled_at < $1
        and (state <> 'answered' or type is null or exists (
          select from assent_elicitation later
          where later.state = 'answered' and later.participant = old.participant and later.type = old.type
            and later.settled > old.settled))
      order by settled_at limit $2
      for update skip locked)`,
}

const isNamed = 'position($4 in voting) > 0 or position($6 in voting) > 0 or position($8 in voting) > 0'

// Waiting processes must learn that a deleted question will not be answered. What was voted on gets a new version, so that a
// save of what was read before does not bring the name back.
const forget: PostgresStatement = {
  name: 'assent_forget_voter',
  text: `
    with renamed as (
      update assent_elicitation set
        version = version + case when ${isNamed} then 1 else 0 end,
        answered_by = case when answered_by = $1 then $2 else answered_by end,
        voting = replace(replace(replace(voting, $4, $5), $6, $7), $8, $9)
      where participant <> $1 and (answered_by = $1 or ${isNamed})
    ), deleted as (
      delete from assent_elicitation where participant = $1 returning id, state
    )
    select case when state = 'open' then pg_notify($3, id) end from deleted`,
}

/** Elicitations in PostgreSQL. Saving one notifies when it was committed, by `notify`. */
export function postgresElicitations(
  database: PostgresDatabase,
  channel: string,
  notify: (id: string) => void,
): ElicitationStore {
  async function list(statement: PostgresStatement, values: readonly unknown[]) {
    const { rows } = await database.query<ElicitationRow>(statement, values)
    return rows.map(fromElicitationRow)
  }

  return {
    async add(elicitation, limits) {
      const added = toElicitationRow(elicitation)
      const { id, version, state, requester, participant, type, identity, expires_at, question } = added
      const asked = [id, version, state, requester, participant, type, identity, expires_at, question]
      const most = [limits.requester, limits.participant].map((limit) => Math.min(limit, Number.MAX_SAFE_INTEGER))
      const { rows } = await database.query<AddedRow>(add, [
        ...[...asked, elicitation.answerers.anyOf, ...most],
        ...[added.urgency, added.escalates_at],
      ])
      const [{ added: isAdded, full_of, ...kept }] = rows as [AddedRow]
      if (full_of !== null) return { kind: 'full', of: full_of }
      return isAdded ? { kind: 'added' } : { kind: 'joined', elicitation: fromElicitationRow(kept) }
    },

    async get(id) {
      return isStorableText(id) ? (await list(get, [id]))[0] : undefined
    },

    async saveIfUnchanged(elicitation) {
      const { id, version, state, voting } = elicitation
      const columns = toVotingColumns(elicitation)
      const also = voting === undefined ? [] : answerersNow(elicitation)
      const next = toStateColumns(state)
      const { rowCount } = await database.query(save, [
        ...[id, version, next.state, next.settled_at, next.answered_by, next.sealed_key, next.outcome],
        ...[columns.voting, columns.escalates_at, also],
      ])
      if (rowCount === 1) notify(id)
      return rowCount === 1
    },

    listOpen: (answerers, limit, after) => list(listOpen, [answerers.filter(isStorableText), limit, after ?? null]),

    async listRequesters(answerers, moment, limit, after) {
      const waiting = [answerers.filter(isStorableText), moment.getTime()]
      const [counted, grouped] = await Promise.all([
        database.query<{ open: string }>(countWaiting, waiting),
        database.query<ElicitationRow & { open: string }>(listRequesters, [...waiting, limit, after ?? null]),
      ])
      const requesters = grouped.rows.map(({ open, ...kept }) => {
        return { requester: kept.requester, count: Number(open), first: fromElicitationRow(kept) }
      })
      return { total: Number(counted.rows[0]?.open), requesters }
    },

    async listOpenOf(answerers, requester, moment, limit, after) {
      const waiting = [answerers.filter(isStorableText), moment.getTime()]
      return isStorableText(requester) ? list(listOpenOf, [...waiting, requester, limit, after ?? null]) : []
    },

    listAllOpen: (limit, after) => list(listAllOpen, [limit, after ?? null]),

    listDue: (moment, limit) => list(listDue, [moment.getTime(), limit]),

    listEscalating: (moment, limit) => list(listEscalating, [moment.getTime(), limit]),

    async latestAnswered(participant, type) {
      return isStorableText(type) ? (await list(latestAnswered, [participant, type]))[0] : undefined
    },

    listSealedExcept: (key, limit) => list(listSealedExcept, [key, limit]),

    async sealingKeys() {
      const { rows } = await database.query<{ sealed_key: string }>(sealingKeys, [])
      return rows.map(({ sealed_key }) => sealed_key)
    },

    async deleteSettled(moment, limit) {
      const { rowCount } = await database.query(deleteSettled, [moment.getTime(), limit])
      return rowCount ?? 0
    },

    async forget(participant) {
      const { rowCount } = await database.query(forget, [
        ...[participant, forgottenParticipant, channel],
        ...namesInVoting(participant).flat(),
      ])
      return rowCount ?? 0
    },
  }
}
