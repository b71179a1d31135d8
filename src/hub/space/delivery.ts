import type { Events } from '../../base/events.ts'
import type { AssentForHub } from '../needs.ts'
import type { Member } from '../options.ts'
import { writeEnvelope } from '../wire/write.ts'
import type { HubNews, Posting } from './desk.ts'
import type { Joined } from './joined.ts'
import { presencePayload } from './presence.ts'

/** What is delivered of an envelope. */
export type Delivered = Pick<Posting, 'from' | 'id' | 'to' | 'text' | 'data'>

/** Hands what was said in a space to those who joined here. */
export interface SpaceDelivery {
  /** Delivers a kept envelope to those whom it is for, and to those who see everything. */
  deliver(envelope: Delivered, seq: number): void
  /** Tells everybody else that somebody came, went, or is alive. */
  announce(event: 'join' | 'leave' | 'heartbeat', member: Member, reason?: string): void
}

export interface DeliveryParts {
  readonly space: string
  readonly here: ReadonlyMap<string, Joined>
  /** Those who see everything. */
  readonly observers: readonly string[]
  readonly assent: Pick<AssentForHub, 'clock'>
  readonly events: Events<HubNews>
}

export function deliverTo({ space, here, observers, assent, events }: DeliveryParts): SpaceDelivery {
  return {
    deliver({ from, to, text, data = Buffer.from(text) }, seq) {
      let count = 0
      const give = (id: string, joined: Joined | undefined, isDirect: boolean) => {
        if (id === from || joined === undefined) return
        joined.deliver(data, seq, isDirect)
        count += 1
      }
      if (to.length === 0) for (const [id, joined] of here) give(id, joined, false)
      else {
        for (const id of new Set(to)) give(id, here.get(id), true)
        for (const id of observers) if (!to.includes(id)) give(id, here.get(id), false)
      }
      events.tell({ kind: 'hub-delivered', space, count })
    },
    announce(event, member, reason) {
      const payload = presencePayload(event, member, reason)
      const { text } = writeEnvelope(assent.clock.now(), { kind: 'presence', payload })
      for (const [id, joined] of here) if (id !== member.id) joined.send(text)
    },
  }
}
