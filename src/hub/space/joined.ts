import type { Member } from '../options.ts'
import type { Rate } from '../routing/rate.ts'
import type { SpaceSocket } from '../wire/connection.ts'
import { writeEnvelope } from '../wire/write.ts'

/** How somebody joins. */
export interface Joining {
  /** It says what it received, and wants to hear what of its own was kept. */
  readonly acks: boolean
  /** The last envelope for it that it received before. */
  readonly after?: { readonly from: string; readonly id: string }
}

/** A participant that is here, and what it received. */
export interface Joined {
  readonly member: Member
  readonly connection: SpaceSocket
  /** The number of its joining, as soon as the store gave it one; of two connections of one participant the later one holds. */
  number?: number
  readonly acks: boolean
  readonly rate: Rate
  /** Says something that is not kept. */
  send(text: string): void
  /** Delivers a kept envelope; `isDirect`: it names this participant. */
  deliver(message: Buffer, seq: number, isDirect: boolean): void
  /** Delivers what was kept while it was away, in order, before anything new. */
  redeliver(message: Buffer, seq: number): void
  /** Everything up to this number was delivered again: what came meanwhile follows. Returns the number of the last one. */
  caughtUp(seq: number): number
  /** It says nothing about what it received: what is delivered to it counts as received, from when it caught up until it ends. */
  takesAtOnce(): boolean
  /** Tells it that an envelope of its own was kept. */
  acknowledge(id: string): void
  /** It says how many of the envelopes that name it have arrived. */
  acknowledged(payload: Readonly<Record<string, unknown>>): void
  /** The number up to which everything arrived, as far as it says; 0 if it says nothing. */
  receivedUpTo(): number
}

interface Waiting {
  readonly message: Buffer
  readonly seq: number
  readonly isDirect: boolean
}

export function createJoined(
  member: Member,
  connection: SpaceSocket,
  { acks, rate }: { readonly acks: boolean; readonly rate: Rate },
): Joined {
  /** The numbers of what was delivered and not acknowledged yet. */
  const unacknowledged: number[] = []
  let acknowledgedCount = 0
  let upTo = 0
  /** The number of the last one that names this participant: the log is read in its order, and what came before was delivered. */
  let last = 0
  let waiting: Waiting[] | undefined = []
  let kept: string[] = []

  function give(message: Buffer, seq: number, isDirect: boolean): void {
    if (isDirect) {
      if (seq <= last) return
      last = seq
      if (acks) unacknowledged.push(seq)
    }
    connection.send(message)
  }

  function tellKept(): void {
    const { text } = writeEnvelope(new Date(), {
      to: [member.id],
      kind: 'system',
      payload: { event: 'ack', ids: kept },
    })
    kept = []
    connection.send(text)
  }

  return {
    member,
    connection,
    acks,
    rate,
    send: (text) => connection.send(text),
    deliver(message, seq, isDirect) {
      if (waiting === undefined) give(message, seq, isDirect)
      else waiting.push({ message, seq, isDirect })
    },
    redeliver: (message, seq) => give(message, seq, true),
    caughtUp(after) {
      last = Math.max(last, after)
      const came = waiting ?? []
      waiting = undefined
      for (const { message, seq, isDirect } of came) give(message, seq, isDirect)
      return last
    },
    takesAtOnce: () => !acks && waiting === undefined && connection.isOpen,
    acknowledge(id) {
      if (!acks) return
      if (kept.length === 0) setImmediate(tellKept)
      kept.push(id)
    },
    acknowledged({ event, received }) {
      if (event !== 'ack' || !Number.isInteger(received)) return
      const count = Math.min((received as number) - acknowledgedCount, unacknowledged.length)
      if (!(count > 0)) return
      upTo = unacknowledged[count - 1] as number
      unacknowledged.splice(0, count)
      acknowledgedCount += count
    },
    receivedUpTo: () => upTo,
  }
}
