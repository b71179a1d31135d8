import type { Anchor, ChainId, Head, Pseudonym } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { Sealed } from '../../base/seal.ts'
import { type AuditRow, fromAuditRow, toAuditRow } from '../rows/audit.ts'
import type { IntegerValue } from '../rows/values.ts'
import type { PostgresDatabase, PostgresStatement } from './database.ts'

const row = 'chain, seq, at, kind, who, about, data, kept, kept_digest, prev, mac'

const append: PostgresStatement = {
  name: 'assent_audit_append',
  text: `insert into assent_audit_event (${row})
    select ${row} from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[], $9::text[], $10::text[], $11::text[]) with ordinality as event (${row}, place)
    order by place`,
}

const read: PostgresStatement = {
  name: 'assent_audit_read',
  text: `select ${row} from assent_audit_event where chain = $1 and seq > $2 order by seq limit $3`,
}

// Jumps from chain to chain along the primary key, because a plain DISTINCT would read every event.
const eachChain = `
  recursive each_chain as (
    (select chain from assent_audit_event order by chain limit 1)
    union all
    select (select event.chain from assent_audit_event event where event.chain > each_chain.chain
      order by event.chain limit 1)
    from each_chain where each_chain.chain is not null
  )`

const heads: PostgresStatement = {
  name: 'assent_audit_heads',
  text: `with ${eachChain}
    select last.chain, last.seq, last.mac from each_chain cross join lateral (
      select chain, seq, mac, wrote from assent_audit_event where chain = each_chain.chain order by seq desc limit 1
    ) last
    order by last.wrote desc limit $1`,
}

const chains: PostgresStatement = {
  name: 'assent_audit_chains',
  text: `with ${eachChain}, first as (
      select oldest.chain, oldest.wrote from each_chain cross join lateral (
        select chain, wrote from assent_audit_event where chain = each_chain.chain order by seq limit 1
      ) oldest
    )
    select coalesce(first.chain, anchor.chain) as chain, anchor.seq, anchor.mac, anchor.anchor_mac
    from first full join assent_audit_anchor anchor on anchor.chain = first.chain
    order by coalesce(anchor.began, first.wrote)`,
}

// `began` keeps the position of a chain among the others after its first events were deleted.
const prune: PostgresStatement = {
  name: 'assent_audit_prune',
  text: `
    with first as (
      select wrote from assent_audit_event where chain = $1 order by seq limit 1
    ), kept as (
      insert into assent_audit_anchor as anchor (chain, seq, mac, anchor_mac, began)
      values ($1, $2, $3, $4, coalesce((select wrote from first), 0))
      on conflict (chain) do update set seq = excluded.seq, mac = excluded.mac, anchor_mac = excluded.anchor_mac
        where anchor.seq <= excluded.seq
    )
    delete from assent_audit_event where chain = $1 and seq <= $2`,
}

const findPseudonym: PostgresStatement = {
  name: 'assent_find_pseudonym',
  text: `select pseudonym from assent_pseudonym where participant = $1`,
}

// The empty update makes the statement return the row that was there first, even one outside of its snapshot.
const addPseudonym: PostgresStatement = {
  name: 'assent_add_pseudonym',
  text: `insert into assent_pseudonym (participant, pseudonym) values ($1, $2)
    on conflict (participant) do update set participant = excluded.participant returning pseudonym`,
}

const deletePseudonym: PostgresStatement = {
  name: 'assent_delete_pseudonym',
  text: `delete from assent_pseudonym where participant = $1`,
}

const eraseKept: PostgresStatement = {
  name: 'assent_audit_erase_kept',
  text: `update assent_audit_event set kept = null where who = $1 and kept is not null`,
}

const findKey: PostgresStatement = {
  name: 'assent_audit_find_key',
  text: `select key, box from assent_audit_key`,
}

const addKey: PostgresStatement = {
  name: 'assent_audit_add_key',
  text: `insert into assent_audit_key (key, box) values ($1, $2)
    on conflict (single) do update set single = excluded.single returning key, box`,
}

const replaceKey: PostgresStatement = {
  name: 'assent_audit_replace_key',
  text: `update assent_audit_key set key = $3, box = $4 where key = $1 and box = $2`,
}

/** The audit in PostgreSQL. */
export function postgresAudit(database: PostgresDatabase): AuditStore {
  async function first<Row extends object>(
    statement: PostgresStatement,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    return (await database.query<Row>(statement, values)).rows[0]
  }

  async function count(statement: PostgresStatement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, values)).rowCount ?? 0
  }

  return {
    appendsAtOnce: false,
    appendAtOnce: () => false,
    async append(events) {
      const rows = events.map(toAuditRow)
      await database.query(append, [
        rows.map(({ chain }) => chain),
        rows.map(({ seq }) => seq),
        rows.map(({ at }) => at),
        rows.map(({ kind }) => kind),
        rows.map(({ who }) => who),
        rows.map(({ about }) => about),
        rows.map(({ data }) => data),
        rows.map(({ kept }) => kept),
        rows.map(({ kept_digest }) => kept_digest),
        rows.map(({ prev }) => prev),
        rows.map(({ mac }) => mac),
      ])
    },

    async read(chain, afterSeq, limit) {
      return (await database.query<AuditRow>(read, [chain, afterSeq, limit])).rows.map(fromAuditRow)
    },

    async heads(limit) {
      return (await database.query<HeadRow>(heads, [limit])).rows.map(headFrom)
    },

    async chains() {
      const { rows } = await database.query<AnchorRow | { chain: ChainId; seq: null }>(chains, [])
      return rows.map((row) =>
        row.seq === null ? { chain: row.chain } : { chain: row.chain, anchor: anchorFrom(row) },
      )
    },

    prune: ({ chain, seq, mac, anchorMac }) => count(prune, [chain, seq, mac, anchorMac]),

    async pseudonymFor(participant, candidate) {
      const kept =
        (await first<PseudonymRow>(findPseudonym, [participant])) ??
        (await first<PseudonymRow>(addPseudonym, [participant, candidate]))
      return kept?.pseudonym ?? candidate
    },

    async findPseudonym(participant) {
      return (await first<PseudonymRow>(findPseudonym, [participant]))?.pseudonym
    },

    async deletePseudonym(participant) {
      await database.query(deletePseudonym, [participant])
    },

    eraseKept: (who) => count(eraseKept, [who]),

    async keyFor(candidate) {
      const kept = (await first<Sealed>(findKey, [])) ?? (await first<Sealed>(addKey, [candidate.key, candidate.box]))
      return kept ?? candidate
    },

    findKey: () => first<Sealed>(findKey, []),

    async replaceKey(previous, next) {
      return (await count(replaceKey, [previous.key, previous.box, next.key, next.box])) === 1
    },
  }
}

interface PseudonymRow {
  pseudonym: Pseudonym
}

interface HeadRow {
  chain: ChainId
  seq: IntegerValue
  mac: string
}

interface AnchorRow extends HeadRow {
  anchor_mac: string
}

function headFrom({ chain, seq, mac }: HeadRow): Head {
  return { chain, seq: Number(seq), mac }
}

function anchorFrom(row: AnchorRow): Anchor {
  return { ...headFrom(row), anchorMac: row.anchor_mac }
}
