import type { ChainId, Pseudonym } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { Sealed } from '../../base/seal.ts'
import { AlreadyStored } from '../errors.ts'
import { type AuditRow, fromAuditRow, toAuditRow } from '../rows/audit.ts'
import { rowFromFlat } from './records.ts'
import {
  appendEvents,
  deletePseudonymScript,
  eraseKeptInFull,
  findPseudonymScript,
  giveKey,
  givePseudonym,
  listChains,
  listHeads,
  pruneChain,
  readEvents,
  replaceKeyScript,
} from './scripts/audit.ts'
import type { RedisScript } from './scripts/script.ts'
import type { RedisServer } from './server/server.ts'

/** The audit in Redis. */
export function redisAudit(server: RedisServer): AuditStore {
  const run = <T>(script: RedisScript, args: object) => server.run<T>(script, 'audit', args)

  async function key(candidate?: Sealed): Promise<Sealed | undefined> {
    const [key, box] = await run<[string | null, string | null]>(giveKey, candidate ? { candidate } : {})
    return key === null || box === null ? undefined : { key, box }
  }

  return {
    appendsAtOnce: false,
    appendAtOnce: () => false,
    async append(events) {
      if (events.length === 0) return
      const given = events.map((event) => writtenEvent(toAuditRow(event)))
      if ((await run<number>(appendEvents, { events: given })) === 0) throw new AlreadyStored('audit event')
    },

    async read(chain, afterSeq, limit) {
      const found = await run<string[][]>(readEvents, { chain, after: String(afterSeq), limit: String(limit) })
      return found.map((fields) => fromAuditRow(rowFrom(chain, fields)))
    },

    async heads(limit) {
      const found = await run<[ChainId, string, string][]>(listHeads, { limit: String(limit) })
      return found.map(([chain, seq, mac]) => ({ chain, seq: Number(seq), mac }))
    },

    async chains() {
      const found = await run<[ChainId, string?, string?, string?][]>(listChains, {})
      return found.map(([chain, seq, mac = '', anchorMac = '']) =>
        seq === undefined ? { chain } : { chain, anchor: { chain, seq: Number(seq), mac, anchorMac } },
      )
    },

    prune: ({ chain, seq, mac, anchorMac }) => run<number>(pruneChain, { chain, seq: String(seq), mac, anchorMac }),

    pseudonymFor: (participant, candidate) => run<Pseudonym>(givePseudonym, { participant, candidate }),

    async findPseudonym(participant) {
      return (await run<Pseudonym | null>(findPseudonymScript, { participant })) ?? undefined
    },

    async deletePseudonym(participant) {
      await run<number>(deletePseudonymScript, { participant })
    },

    eraseKept: (who) => run<number>(eraseKeptInFull, { who }),

    async keyFor(candidate) {
      return (await key(candidate)) ?? candidate
    },

    findKey: () => key(),

    async replaceKey(previous, next) {
      return (await run<number>(replaceKeyScript, { previous, next })) === 1
    },
  }
}

/** The fields of an event that cannot change, and apart from them what may be erased. */
function writtenEvent({ chain, seq, kept, ...row }: AuditRow) {
  const filled = Object.entries(row).filter(([, value]) => value !== null)
  const fields = filled.flatMap(([column, value]) => [column, String(value)])
  const common = { chain, seq: String(seq), who: row.who ?? '' }
  return kept === null ? { ...common, fields } : { ...common, fields: [...fields, '#kept', '1'], kept }
}

function rowFrom(chain: ChainId, fields: readonly string[]): AuditRow {
  const {
    seq = '',
    at = '',
    kind = '',
    who,
    about,
    data = '',
    kept,
    kept_digest,
    prev = '',
    mac = '',
  } = rowFromFlat(fields)
  return {
    chain,
    seq,
    at,
    kind,
    who: who ?? null,
    about: about ?? null,
    data,
    kept: kept ?? null,
    kept_digest: kept_digest ?? null,
    prev,
    mac,
  }
}
