import type { Appended, Appending, HubStore, NewEnvelope } from '../../../hub/store.ts'
import { type EnvelopeRow, envelopeColumns, envelopeValues, fromEnvelopeRow, recipientPart } from '../../rows/hub.ts'
import { runRead, type SqliteDatabase, type SqliteRow } from '../driver.ts'
import type { Writer } from '../writer.ts'

const asEnvelope = (row: SqliteRow) => fromEnvelopeRow(row as unknown as EnvelopeRow)

/** The envelopes of spaces in SQLite. */
export function sqliteHub(database: SqliteDatabase, writer: Writer): HubStore {
  const sql = statements(database)

  /** Notes in `handed` what is handed out, so that each participant is written once for all envelopes of a batch. */
  function add({ envelope, answers, handedTo = [] }: Appending, handed: Map<string, Map<string, number>>): Appended {
    const { space, from, id } = envelope
    const row = sql.insert.get(...envelopeValues(envelope))
    if (row === undefined) {
      const known = sql.find.get(space, from, id)
      return { kind: 'known', digest: String(known?.digest), state: known?.state as NewEnvelope['state'] }
    }
    const seq = Number(row.seq)
    if (answers !== undefined) sql.close.run(space, answers.from, answers.id)
    const ofSpace = handed.get(space) ?? new Map<string, number>()
    for (const participant of handedTo) ofSpace.set(participant, seq)
    handed.set(space, ofSpace)
    return { kind: 'added', seq }
  }

  function change(
    { space, from, id }: Pick<NewEnvelope, 'space' | 'from' | 'id'>,
    to: Parameters<HubStore['change']>[1],
  ): number | undefined {
    const row = sql.find.get(space, from, id)
    if (row === undefined) return undefined
    const { seq, ...before } = asEnvelope(row)
    const { open: opened, ...others } = { ...before, ...to }
    const next = opened ? { ...others, open: opened } : others
    if (before.state !== 'sent' && next.state === 'sent') {
      // The next number, which `AUTOINCREMENT` never gives twice.
      sql.remove.run(seq)
      return Number(sql.insert.get(...envelopeValues(next))?.seq)
    }
    sql.update.run(next.text, next.state, opened ? JSON.stringify(opened) : null, seq)
    return seq
  }

  return {
    append: (batch) =>
      writer.write(() => {
        const handed = new Map<string, Map<string, number>>()
        const ends = batch.map((one) => add(one, handed))
        for (const [space, received] of handed) {
          for (const [participant, seq] of received) sql.advance.run(space, participant, seq)
        }
        return ends
      }),
    change: (key, to) => writer.write(() => change(key, to)),
    listOpen: (space, limit) => runRead(() => sql.listOpen.all(space, limit).map(asEnvelope)),
    listFor: (space, participant, after, limit) =>
      runRead(() => sql.listFor.all(space, after, recipientPart(participant), limit).map(asEnvelope)),
    history: (space, limit, before = Number.MAX_SAFE_INTEGER, participant) =>
      runRead(() =>
        participant === undefined
          ? sql.history.all(space, before, limit).map(asEnvelope)
          : sql.historyOf.all(space, before, participant, recipientPart(participant), limit).map(asEnvelope),
      ),
    seqOf: (space, from, id) => runRead(() => sql.find.get(space, from, id)?.seq as number | undefined),
    received: (space) =>
      runRead(() => new Map(sql.received.all(space).map(({ participant, seq }) => [String(participant), Number(seq)]))),
    saveReceived: (space, received) =>
      writer.write(() => {
        for (const [participant, seq] of received) sql.advance.run(space, participant, seq)
      }),
    deleteEnvelopes: (space, moment, limit) =>
      writer.writeOne(() => sql.deleteEnvelopes.run(space, moment.getTime(), limit)),
  }
}

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  const select = `SELECT ${envelopeColumns} FROM hub_envelope`
  const columns = envelopeColumns.slice('seq, '.length)
  return {
    insert: prepare(
      `INSERT INTO hub_envelope (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (space, sender, id) DO NOTHING RETURNING seq`,
    ),
    find: prepare(`${select} WHERE space = ? AND sender = ? AND id = ?`),
    close: prepare('UPDATE hub_envelope SET open = NULL WHERE space = ? AND sender = ? AND id = ?'),
    update: prepare('UPDATE hub_envelope SET text = ?, state = ?, open = ? WHERE seq = ?'),
    remove: prepare('DELETE FROM hub_envelope WHERE seq = ?'),
    advance: prepare(
      `INSERT INTO hub_received (space, participant, seq) VALUES (?, ?, ?)
       ON CONFLICT (space, participant) DO UPDATE SET seq = max(seq, excluded.seq)`,
    ),
    received: prepare('SELECT participant, seq FROM hub_received WHERE space = ?'),
    listOpen: prepare(`${select} WHERE space = ? AND open IS NOT NULL ORDER BY seq LIMIT ?`),
    listFor: prepare(
      `${select} WHERE space = ? AND seq > ? AND state = 'sent' AND instr(recipients, ?) > 0 ORDER BY seq LIMIT ?`,
    ),
    history: prepare(`${select} WHERE space = ? AND seq < ? AND state = 'sent' ORDER BY seq DESC LIMIT ?`),
    historyOf: prepare(
      `${select} WHERE space = ? AND seq < ? AND state = 'sent'
       AND (sender = ? OR recipients = '' OR instr(recipients, ?) > 0) ORDER BY seq DESC LIMIT ?`,
    ),
    deleteEnvelopes: prepare(
      `DELETE FROM hub_envelope WHERE seq IN
       (SELECT seq FROM hub_envelope WHERE space = ? AND at < ? AND open IS NULL ORDER BY seq LIMIT ?)`,
    ),
  }
}
