import type { Clock } from '../../base/clock.ts'
import { inBackground } from '../../base/under-way.ts'
import { type Elicitation, lastMoment, urgencyOf } from '../../elicitation/elicitation.ts'
import { type QuietHours, quietFor } from './quiet-hours.ts'
import { NotDelivered, type SendFailure, withRetries } from './retry.ts'
import { createSendQueue } from './send-queue.ts'

/** One question that somebody is to be told of. */
export interface Notice {
  readonly elicitation: Elicitation
  readonly link: string
}

/** How messages reach one kind of address, and when. */
export interface OutboxOptions {
  readonly clock: Clock
  readonly retries: readonly number[]
  /** After a message, further ones to the same address are gathered for so long, and sent as one. Urgent ones are not. */
  readonly gatherMs: number
  readonly quiet?: QuietHours
  /** Sends one message about all of these. */
  attempt(address: string, notices: readonly Notice[]): Promise<SendFailure | undefined>
}

/** Messages on their way to people: gathered, kept for the end of quiet hours, sent again when that may help. */
export interface Outbox {
  /** Resolves when the message is sent or not needed any more. Rejects with `NotDelivered`. */
  add(address: string, notice: Notice): Promise<void>
  /** The question is settled: nobody is told of it any more. */
  drop(id: string): void
  /** Gives up what is gathered, and waits shortly for what is being sent. */
  close(): Promise<void>
}

const mostWaiting = 1_000
const mostAtOnce = 4
/** How long attempts in flight may take after the outbox is closed. */
const closingMs = 3_000
/** The place of `urgent` in the order of priorities. */
const urgent = 0

interface Waiting extends Notice {
  readonly done: () => void
  readonly failed: (error: unknown) => void
  /** Set when the question is settled. */
  isDropped: boolean
}

/** What waits for one address, and the timer that sends it. */
interface Gathering {
  waiting: Waiting[]
  callOff: () => void
}

/** Waits for at most 1000 messages; beyond that, the oldest is given up. */
export function createOutbox({ clock, retries, gatherMs, quiet: hours, attempt }: OutboxOptions): Outbox {
  const quietMs = hours === undefined ? () => 0 : quietFor(hours)
  const queue = createSendQueue(mostAtOnce, mostWaiting)
  /** Addresses that were told of something lately, or whose messages wait. */
  const gatherings = new Map<string, Gathering>()
  const sending = new Set<Waiting>()
  const closing = new AbortController()

  async function send(address: string, all: readonly Waiting[]): Promise<void> {
    const current = () => all.filter((one) => !one.isDropped && clock.now() < lastMoment(one.elicitation))
    const how = { clock, retries, noMore: closing.signal, isOver: () => current().length === 0 }
    for (const one of all) sending.add(one)
    try {
      await queue.run(() => withRetries(() => attempt(address, current()), how))
      for (const { done } of all) done()
    } catch (error) {
      for (const { failed } of all) failed(error)
    } finally {
      for (const one of all) sending.delete(one)
    }
  }

  /** Sends what waits for an address, and gathers what comes next; ends when nothing came. */
  function flush(address: string): void {
    const gathering = gatherings.get(address) as Gathering
    const { waiting } = gathering
    const quiet = waiting.length > 0 ? quietMs(clock.now()) : 0
    if (quiet === 0) {
      if (waiting.length === 0) return void gatherings.delete(address)
      inBackground(send(address, waiting.splice(0)))
    }
    gathering.callOff = clock.after(quiet || gatherMs, () => flush(address))
  }

  function gather(address: string, one: Waiting): void {
    const known = gatherings.get(address)
    const gathering = known ?? { waiting: [], callOff: () => {} }
    gathering.waiting.push(one)
    gatherings.set(address, gathering)
    if (known === undefined) flush(address)
    if (gathering.waiting.length <= mostWaiting) return
    gathering.waiting.shift()?.failed(new NotDelivered(`More than ${mostWaiting} messages waited for one address.`))
  }

  return {
    add: (address, notice) =>
      new Promise((done, failed) => {
        if (closing.signal.aborted) return failed(new NotDelivered('The channel is closed.'))
        const one = { ...notice, done, failed, isDropped: false }
        if (urgencyOf(notice.elicitation) === urgent) inBackground(send(address, [one]))
        else gather(address, one)
      }),
    drop(id) {
      const isAbout = ({ elicitation }: Waiting) => elicitation.id === id
      for (const one of sending) if (isAbout(one)) one.isDropped = true
      for (const gathering of gatherings.values()) {
        for (const { done } of gathering.waiting.filter(isAbout)) done()
        gathering.waiting = gathering.waiting.filter((one) => !isAbout(one))
      }
    },
    async close() {
      closing.abort()
      for (const { waiting, callOff } of gatherings.values()) {
        callOff()
        for (const { failed } of waiting.splice(0))
          failed(new NotDelivered('The channel was closed before this was sent.'))
      }
      gatherings.clear()
      queue.empty()
      await Promise.race([queue.allDone(), new Promise((resolve) => setTimeout(resolve, closingMs).unref())])
    },
  }
}
