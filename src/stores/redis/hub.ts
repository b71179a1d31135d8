import type { Appended, HubStore, NewEnvelope } from '../../hub/store.ts'
import { type EnvelopeRow, fromEnvelopeRow, recipientsText } from '../rows/hub.ts'
import { toName } from '../rows/values.ts'
import { type ReadRow, recordsIn, rowFromFlat } from './records.ts'
import { appendEnvelopes, changeEnvelope, listHistory, listReceived, saveReceivedScript } from './scripts/hub.ts'
import type { RedisServer } from './server/server.ts'

type Key = Pick<NewEnvelope, 'space' | 'from' | 'id'>
const keyOf = ({ space, from, id }: Key) => JSON.stringify([space, from, id])

/** The envelopes of spaces in Redis. Numbers are given in the order in which they become visible. */
export function redisHub(server: RedisServer): HubStore {
  const kept = recordsIn(server, 'hub')

  return {
    async append(batch) {
      const given = batch.map(({ envelope, answers, handedTo = [] }) => ({
        key: toName(keyOf(envelope)),
        columns: columnsOf(envelope),
        ...(answers && {
          answers: toName(keyOf({ ...answers, space: envelope.space })),
          stops: answers.stops === true,
        }),
        handedTo,
      }))
      const ends = await kept.run<[string, string?, string?][]>(appendEnvelopes, { batch: given })
      return ends.map(appendedFrom)
    },
    async change(key, { text, state, open }) {
      const args = {
        key: toName(keyOf(key)),
        ...(text !== undefined && { text }),
        ...(state !== undefined && { state }),
        isClosed: open === null,
        ...(open && { open: JSON.stringify(open) }),
      }
      const seq = await kept.run<string | null>(changeEnvelope, args)
      return seq === null ? undefined : Number(seq)
    },
    async listOpen(space, limit) {
      return (await kept.list([`open:${space}`], ['-inf', '+inf', 'BYSCORE', 'LIMIT', 0, limit])).map(fromRow)
    },
    async listSince(space, after, limit) {
      return (await kept.list([`log:${space}`], [`(${after}`, '+inf', 'BYSCORE', 'LIMIT', 0, limit])).map(fromRow)
    },
    async listFor(space, participant, after, limit) {
      const range = [`(${after}`, '+inf', 'BYSCORE', 'LIMIT', 0, limit]
      return (await kept.list([`for:${space} ${participant}`], range)).map(fromRow)
    },
    async history(space, limit, before, participant) {
      const from = before === undefined ? '+inf' : `(${before}`
      const args = { space, before: from, limit: String(limit), ...(participant !== undefined && { participant }) }
      return (await kept.run<string[][]>(listHistory, args)).map((row) => fromRow(rowFromFlat(row)))
    },
    async get(space, from, id) {
      const row = await kept.get(keyOf({ space, from, id }))
      return row && fromRow(row)
    },
    async received(space) {
      const found = rowFromFlat(await kept.run<string[]>(listReceived, { space }))
      return new Map(Object.entries(found).map(([participant, seq]) => [participant, Number(seq)]))
    },
    async saveReceived(space, received) {
      const texts = [...received].map(([participant, seq]) => [participant, String(seq)])
      await kept.run<null>(saveReceivedScript, { space, received: Object.fromEntries(texts) })
    },
    deleteEnvelopes: (space, moment, limit) => kept.deleteBefore(`over:${space}`, moment, limit),
  }
}

/** Every value as a text, and no column where there is nothing. */
function columnsOf({ space, from, id, to, at, digest, text, state, open }: NewEnvelope): Record<string, string> {
  const columns = {
    space,
    sender: from,
    id,
    recipients: recipientsText(to),
    at: String(at.getTime()),
    digest,
    text,
    state,
  }
  return open === undefined ? columns : { ...columns, open: JSON.stringify(open) }
}

function fromRow(row: ReadRow) {
  const { '#seq': seq, open = null, ...columns } = row
  return fromEnvelopeRow({ ...columns, seq, open } as unknown as EnvelopeRow)
}

function appendedFrom([kind, what = '', state]: [string, string?, string?]): Appended {
  if (kind === 'answered') return { kind }
  return kind === 'added'
    ? { kind, seq: Number(what) }
    : { kind: 'known', digest: what, state: state as NewEnvelope['state'] }
}
