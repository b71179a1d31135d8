import type { Appended, HubStore, NewEnvelope } from '../../hub/store.ts'
import { type EnvelopeRow, envelopeColumns, fromEnvelopeRow, recipientPart, recipientsText } from '../rows/hub.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'

const select = `select ${envelopeColumns} from assent_hub_envelope`

// One function for the whole batch, under a lock for each space: numbers become visible in their order.
const append: PostgresStatement = {
  name: 'assent_hub_post',
  text: 'select outcome, digest, state, seq from assent_hub_post($1::jsonb)',
}

const change: PostgresStatement = {
  name: 'assent_hub_amend',
  text: 'select assent_hub_amend($1, $2, $3, $4, $5, $6, $7) as seq',
}

const find: PostgresStatement = {
  name: 'assent_hub_get',
  text: `${select} where space = $1 and sender = $2 and id = $3`,
}

const listOpen: PostgresStatement = {
  name: 'assent_hub_list_open',
  text: `${select} where space = $1 and open is not null order by seq limit $2`,
}

const listSince: PostgresStatement = {
  name: 'assent_hub_list_since',
  text: `${select} where space = $1 and seq > $2 and state <> 'stopped' order by seq limit $3`,
}

const listFor: PostgresStatement = {
  name: 'assent_hub_list_for',
  text: `${select} where space = $1 and seq > $2 and state = 'sent' and position($3 in recipients) > 0
    order by seq limit $4`,
}

const history: PostgresStatement = {
  name: 'assent_hub_history',
  text: `${select} where space = $1 and seq < $2 and state = 'sent'
    and ($3::text is null or sender = $3 or recipients = '' or position(' ' || $3 || ' ' in recipients) > 0)
    order by seq desc limit $4`,
}

const received: PostgresStatement = {
  name: 'assent_hub_received',
  text: 'select participant, seq from assent_hub_received where space = $1',
}

const saveReceived: PostgresStatement = {
  name: 'assent_hub_save_received',
  text: `insert into assent_hub_received as kept (space, participant, seq)
    select $1, participant, seq from unnest($2::text[], $3::bigint[]) as given (participant, seq)
    on conflict (space, participant) do update set seq = greatest(kept.seq, excluded.seq)`,
}

const deleteEnvelopes: PostgresStatement = {
  name: 'assent_hub_delete',
  text: `delete from assent_hub_envelope where seq in (
    select seq from assent_hub_envelope where space = $1 and at < $2 and open is null
    order by seq limit $3 for update skip locked)`,
}

interface AppendedRow {
  readonly outcome: Appended['kind']
  readonly digest: string
  readonly state: string
  readonly seq: string
}

/** The envelopes of spaces in PostgreSQL. */
export function postgresHub(database: PostgresDatabase): HubStore {
  const list = async (statement: PostgresStatement, values: readonly unknown[]) =>
    (await database.query<EnvelopeRow>(statement, values)).rows.map(fromEnvelopeRow)

  return {
    async append(batch) {
      const given = batch.map(({ envelope, answers, handedTo = [] }) => ({
        ...rowOf(envelope),
        answers_from: answers?.from,
        answers_id: answers?.id,
        stops: answers?.stops,
        handed_to: handedTo,
      }))
      const { rows } = await database.query<AppendedRow>(append, [JSON.stringify(given)])
      return rows.map(appendedFrom)
    },
    async change({ space, from, id }, { text, state, open }) {
      const opened = open === undefined || open === null ? null : JSON.stringify(open)
      const values = [space, from, id, text ?? null, state ?? null, open !== undefined, opened]
      const [row] = (await database.query<{ seq: string | null }>(change, values)).rows
      return row?.seq == null ? undefined : Number(row.seq)
    },
    listOpen: (space, limit) => list(listOpen, [space, limit]),
    listSince: (space, after, limit) => list(listSince, [space, after, limit]),
    listFor: (space, participant, after, limit) => list(listFor, [space, after, recipientPart(participant), limit]),
    history: (space, limit, before = Number.MAX_SAFE_INTEGER, participant) =>
      list(history, [space, before, participant ?? null, limit]),
    get: async (space, from, id) => (isStorableText(id) ? (await list(find, [space, from, id]))[0] : undefined),
    async received(space) {
      const { rows } = await database.query<{ participant: string; seq: string }>(received, [space])
      return new Map(rows.map(({ participant, seq }) => [participant, Number(seq)]))
    },
    async saveReceived(space, map) {
      await database.query(saveReceived, [space, [...map.keys()], [...map.values()]])
    },
    async deleteEnvelopes(space, moment, limit) {
      return (await database.query(deleteEnvelopes, [space, moment.getTime(), limit])).rowCount ?? 0
    },
  }
}

function rowOf({ space, from, id, to, at, digest, text, state, open }: NewEnvelope) {
  const opened = open === undefined ? null : JSON.stringify(open)
  return {
    space,
    sender: from,
    id,
    recipients: recipientsText(to),
    at: at.getTime(),
    digest,
    text,
    state,
    open: opened,
  }
}

function appendedFrom({ outcome: kind, digest, state, seq }: AppendedRow): Appended {
  if (kind === 'answered') return { kind }
  return kind === 'known' ? { kind, digest, state: state as NewEnvelope['state'] } : { kind, seq: Number(seq) }
}
