import type { Appended, Appending, HubStore, NewEnvelope } from '../../../hub/store.ts'
import { type EnvelopeRow, envelopeColumns, envelopeValues, fromEnvelopeRow, recipientPart } from '../../rows/hub.ts'
import { runRead, type SqliteDatabase, type SqliteRow } from '../driver.ts'
import type { Writer } from '../writer.ts'

const asEnvelope = (row: SqliteRow) => fromEnvelopeRow(row as unknown as EnvelopeRow)

/** The envelopes of spaces in SQLite. */
export function sqliteHub(database: SqliteDatabase, writer: Writer): HubStore {
  const sql = statements(database)

  /**
   * Adds an envelope as number `seq`. Notes in `handed` what is handed out, so that each participant is written once for all
   * envelopes of a batch.
   */
  function add(
    { envelope, answers, handedTo = [] }: Appending,
    seq: number,
    handed: Map<string, Map<string, number>>,
  ): Appended {
    const { space, from, id } = envelope
    if (answers !== undefined && sql.findOpen.get(space, answers.from, answers.id) === undefined) {
      return knownAs(sql.find.get(space, from, id)) ?? { kind: 'answered' }
    }
    const isNew = sql.insert.run(seq, ...envelopeValues(envelope)) === 1
    if (!isNew) return knownAs(sql.find.get(space, from, id)) as Appended
    if (answers !== undefined) sql.close.run(answers.stops === true ? 'stopped' : null, space, answers.from, answers.id)
    const ofSpace = handed.get(space) ?? new Map<string, number>()
    for (const participant of handedTo) ofSpace.set(participant, seq)
    handed.set(space, ofSpace)
    return { kind: 'added', seq }
  }

  /** The number after all that were ever given. Given by us, because a row that returns it takes twice the time to add. */
  const nextSeq = () => Number(sql.newest.get()?.seq ?? 0) + 1

  /** All participants in one statement: one for each took as long as all the rest of a batch. */
  const advance = (space: string, received: ReadonlyMap<string, number>) =>
    void sql.advance.run(space, JSON.stringify(Object.fromEntries(received)))

  function change(
    { space, from, id }: Pick<NewEnvelope, 'space' | 'from' | 'id'>,
    to: Parameters<HubStore['change']>[1],
  ): number | undefined {
    const row = sql.find.get(space, from, id)
    if (row === undefined) return undefined
    const { seq, ...before } = asEnvelope(row)
    const isReleased = to.state === 'sent'
    if (before.open === undefined || (isReleased && before.state === 'sent')) return undefined
    const { open: opened, ...others } = { ...before, ...to }
    const next = opened ? { ...others, open: opened } : others
    if (isReleased) {
      // The next number, which `AUTOINCREMENT` never gives twice.
      const released = nextSeq()
      sql.remove.run(seq)
      sql.insert.run(released, ...envelopeValues(next))
      return released
    }
    sql.update.run(next.text, next.state, opened ? JSON.stringify(opened) : null, seq)
    return seq
  }

  return {
    append: (batch) =>
      writer.write(() => {
        const handed = new Map<string, Map<string, number>>()
        let seq = nextSeq()
        const ends = batch.map((one) => {
          const end = add(one, seq, handed)
          if (end.kind === 'added') seq += 1
          return end
        })
        for (const [space, received] of handed) advance(space, received)
        return ends
      }),
    change: (key, to) => writer.write(() => change(key, to)),
    listOpen: (space, limit) => runRead(() => sql.listOpen.all(space, limit).map(asEnvelope)),
    listSince: (space, after, limit) => runRead(() => sql.listSince.all(space, after, limit).map(asEnvelope)),
    listFor: (space, participant, after, limit) =>
      runRead(() => sql.listFor.all(space, after, recipientPart(participant), limit).map(asEnvelope)),
    history: (space, limit, before = Number.MAX_SAFE_INTEGER, participant) =>
      runRead(() =>
        participant === undefined
          ? sql.history.all(space, before, limit).map(asEnvelope)
          : sql.historyOf.all(space, before, participant, recipientPart(participant), limit).map(asEnvelope),
      ),
    get: (space, from, id) =>
      runRead(() => {
        const row = sql.find.get(space, from, id)
        return row && asEnvelope(row)
      }),
    received: (space) =>
      runRead(() => new Map(sql.received.all(space).map(({ participant, seq }) => [String(participant), Number(seq)]))),
    saveReceived: (space, received) => writer.write(() => advance(space, received)),
    deleteEnvelopes: (space, moment, limit) =>
      writer.writeOne(() => sql.deleteEnvelopes.run(space, moment.getTime(), limit)),
  }
}

function knownAs(row: SqliteRow | undefined): Appended | undefined {
  return row && { kind: 'known', digest: String(row.digest), state: row.state as NewEnvelope['state'] }
}

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  const select = `SELECT ${envelopeColumns} FROM hub_envelope`
  const columns = envelopeColumns.slice('seq, '.length)
  return {
    insert: prepare(
      `INSERT INTO hub_envelope (seq, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (space, sender, id) DO NOTHING`,
    ),
    newest: prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'hub_envelope'`),
    find: prepare(`${select} WHERE space = ? AND sender = ? AND id = ?`),
    findOpen: prepare('SELECT seq FROM hub_envelope WHERE space = ? AND sender = ? AND id = ? AND open IS NOT NULL'),
    close: prepare(
      'UPDATE hub_envelope SET open = NULL, state = coalesce(?, state) WHERE space = ? AND sender = ? AND id = ?',
    ),
    update: prepare('UPDATE hub_envelope SET text = ?, state = ?, open = ? WHERE seq = ?'),
    remove: prepare('DELETE FROM hub_envelope WHERE seq = ?'),
    advance: prepare(
      `INSERT INTO hub_received (space, participant, seq) SELECT ?, key, value FROM json_each(?) WHERE true
       ON CONFLICT (space, participant) DO UPDATE SET seq = max(seq, excluded.seq)`,
    ),
    received: prepare('SELECT participant, seq FROM hub_received WHERE space = ?'),
    listOpen: prepare(`${select} WHERE space = ? AND open IS NOT NULL ORDER BY seq LIMIT ?`),
    listSince: prepare(`${select} WHERE space = ? AND seq > ? AND state <> 'stopped' ORDER BY seq LIMIT ?`),
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
