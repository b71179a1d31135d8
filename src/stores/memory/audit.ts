import { headOf } from '../../audit/chain/chain.ts'
import { readSpelled } from '../../audit/chain/mac.ts'
import type { Anchor, AuditEvent, ChainId, Pseudonym } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import { BadArgument } from '../../base/errors.ts'
import type { Sealed } from '../../base/seal.ts'
import type { ParticipantId } from '../../participant/participant.ts'

interface KeptChain {
  /** In the order of `seq`. */
  events: AuditEvent[]
  anchor?: Anchor
  /** A counter that increases with every write to any chain. */
  written: number
}

/** Stores the audit in memory. Events are copied on the way in and out. */
export function memoryAudit(): AuditStore {
  const chains = new Map<ChainId, KeptChain>()
  const pseudonyms = new Map<ParticipantId, Pseudonym>()
  let key: Sealed | undefined
  let writes = 0

  function chainOf(id: ChainId): KeptChain {
    const chain = chains.get(id) ?? { events: [], written: 0 }
    chains.set(id, chain)
    return chain
  }

  function has({ chain, seq }: AuditEvent): boolean {
    const events = chains.get(chain)?.events ?? []
    return events[firstAfter(events, seq - 1)]?.seq === seq
  }

  function append(events: readonly AuditEvent[]): void {
    const places = new Set(events.map(({ chain, seq }) => `${chain} ${seq}`))
    if (places.size < events.length || events.some(has)) throw new BadArgument('This audit event is there already.')
    for (const event of events) {
      const chain = chainOf(event.chain)
      chain.events.splice(firstAfter(chain.events, event.seq), 0, structuredClone(event))
      writes += 1
      chain.written = writes
    }
  }

  return {
    appendsAtOnce: true,
    appendAtOnce(events) {
      append(events.map(readSpelled))
      return true
    },
    async append(events) {
      append(events)
    },

    async read(chain, afterSeq, limit) {
      const events = chains.get(chain)?.events ?? []
      const from = firstAfter(events, afterSeq)
      return structuredClone(events.slice(from, from + limit))
    },

    async heads(limit) {
      const recent = [...chains.values()].sort((a, b) => b.written - a.written)
      return recent.flatMap(({ events }) => events.slice(-1).map(headOf)).slice(0, limit)
    },

    async chains() {
      return [...chains].map(([chain, { anchor }]) => (anchor ? { chain, anchor: { ...anchor } } : { chain }))
    },

    async prune(anchor) {
      const chain = chainOf(anchor.chain)
      // Of two concurrent prunes, the one with the older anchor changes nothing.
      if (chain.anchor !== undefined && chain.anchor.seq >= anchor.seq) return 0
      chain.anchor = { ...anchor }
      return chain.events.splice(0, firstAfter(chain.events, anchor.seq)).length
    },

    async pseudonymFor(participant, candidate) {
      const kept = pseudonyms.get(participant) ?? candidate
      pseudonyms.set(participant, kept)
      return kept
    },

    async findPseudonym(participant) {
      return pseudonyms.get(participant)
    },

    async deletePseudonym(participant) {
      pseudonyms.delete(participant)
    },

    async eraseKept(who) {
      let erased = 0
      for (const chain of chains.values()) {
        chain.events = chain.events.map((event) => {
          if (event.who !== who || event.kept === undefined) return event
          erased += 1
          const { kept, ...rest } = event
          return rest
        })
      }
      return erased
    },

    async keyFor(candidate) {
      key ??= { ...candidate }
      return { ...key }
    },

    async findKey() {
      return key && { ...key }
    },

    async replaceKey(previous, next) {
      if (key?.key !== previous.key || key.box !== previous.box) return false
      key = { ...next }
      return true
    },
  }
}

/** The index of the first event after `seq`. */
function firstAfter(events: readonly AuditEvent[], seq: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.seq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return low
}
