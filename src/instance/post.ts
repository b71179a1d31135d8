import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { type Json, parseJson, writeJson } from '../base/json.ts'
import { every } from '../base/repeat.ts'
import type { Vault } from '../base/seal.ts'
import { inBackground, trackWork } from '../base/under-way.ts'
import { heartbeatMs, type Instance, type InstanceStore, isAlive, mayHaveSeemedGone } from './instance.ts'
import type { Mail, MailboxStore } from './mailbox.ts'

/** What one instance tells another. */
export type Word = { readonly kind: string } & { readonly [key: string]: Json }

type Hear = (word: Word, from: string, sentAt: Date) => void

/** This process among those that share its store: it says that it runs, and exchanges mail with the others. */
export interface Post {
  /** The id of this instance. */
  readonly id: string
  /** Announces this instance and reads its mail, from now on. Calling it again has no further effect. */
  join(): void
  /** Whether it was announced, and reads its mail. */
  isJoined(): boolean
  /** Whether others ran when this instance last said that it runs. */
  hasOthers(): boolean
  /** Whether this other instance runs, as far as the store knows. */
  isThere(id: string): Promise<boolean>
  /** The ids of the other instances that run, as far as the store knows. */
  others(): Promise<string[]>
  /** Leaves word for one instance. False: it is gone, or its mailbox is full. */
  send(to: string, word: Word): Promise<boolean>
  /**
   * Leaves word for an instance that was heard of just now. It runs, whatever the store knows: it may have started this moment,
   * or have been kept from saying so. False: its mailbox is full.
   */
  reply(to: string, word: Word): Promise<boolean>
  /** Leaves word for every other instance that runs. Returns their ids. */
  sendAll(word: Word): Promise<string[]>
  /** Calls `hear` for each word of this kind that comes, with when it was sent. Returns how to stop. */
  on(kind: string, hear: Hear): () => void
  /**
   * Calls `check` when others may have taken this instance for gone for a while: what they told all others was not told to
   * it. Returns how to stop.
   */
  onMissed(check: () => void): () => void
  /** Tells the others that this instance takes no new calls soon. */
  stopping(): Promise<void>
  /** Reads no more mail, and says that this instance is gone. */
  leave(): Promise<void>
}

interface PostParts {
  readonly store: {
    readonly instances: InstanceStore
    readonly mailbox: MailboxStore
    readonly clock: { machineAheadMs(): number }
  }
  readonly vault: Vault
  readonly clock: Clock
  onError(error: unknown): void
}

const pollMs = 2_000
const takenAtOnce = 100
/** How much mail may wait for one instance. */
const mostWaiting = 10_000
/** A server that took the place of another may hand out again what was removed. So much mail is known to have been heard. */
const mostHeard = 10_000

export function createPost({ store, vault, clock, onError }: PostParts): Post {
  const { instances, mailbox } = store
  const id = randomUUID()
  const startedAt = clock.now()
  const hearers = new Map<string, Set<Hear>>()
  const checks = new Set<() => void>()
  const heard = new Set<string>()
  const work = trackWork()
  let isStopping = false
  let hadOthers = false
  let stops: (() => unknown)[] | undefined
  let isCollecting = false
  let isMore = false
  let saidAt: Date | undefined
  /** Mail that was read, and is removed from the store when the next is taken. */
  let read: readonly string[] = []

  async function announce(): Promise<void> {
    const aheadMs = store.clock.machineAheadMs()
    const seenAt = clock.now()
    await instances.announce({ id, startedAt, seenAt, aheadMs, isStopping })
    // Compared after it was kept, since others went by the word before until then.
    if (saidAt === undefined || mayHaveSeemedGone(saidAt, clock.now())) for (const check of checks) check()
    saidAt = seenAt
    hadOthers = (await others()).length > 0
  }

  async function others(): Promise<Instance[]> {
    const now = clock.now()
    return (await instances.list()).filter((one) => one.id !== id && isAlive(one, now))
  }

  async function put(to: string, word: Word): Promise<boolean> {
    const mail = randomUUID()
    const content = await vault.seal(writeJson({ from: id, word }), bindingOf(mail, to))
    return mailbox.put({ id: mail, to, at: clock.now(), content }, mostWaiting)
  }

  /** One round at a time. What comes meanwhile is read in another one. */
  function collect(): void {
    isMore = true
    if (isCollecting) return
    isCollecting = true
    inBackground(
      work.begin(
        readMail()
          .catch(onError)
          .finally(() => {
            isCollecting = false
          }),
      ),
    )
  }

  async function readMail(): Promise<void> {
    while (isMore && stops !== undefined) {
      isMore = false
      const taken = await mailbox.take(id, takenAtOnce, read)
      read = taken.map((mail) => mail.id)
      // What was read now is removed when the next is taken.
      if (taken.length > 0) isMore = true
      for (const mail of taken) {
        if (heard.has(mail.id)) continue
        if (heard.size >= mostHeard) heard.delete(heard.values().next().value as string)
        heard.add(mail.id)
        try {
          await hearMail(mail)
        } catch (error) {
          onError(error)
        }
      }
    }
  }

  async function hearMail(mail: Mail): Promise<void> {
    const opened = parseJson(await vault.open(mail.content, bindingOf(mail.id, mail.to)))
    const { from, word } = opened as unknown as { from: string; word: Word }
    for (const hear of hearers.get(word.kind) ?? []) hear(word, from, mail.at)
  }

  return {
    id,
    join() {
      if (stops !== undefined) return
      inBackground(work.begin(announce().catch(onError)))
      stops = [
        mailbox.watch(id, collect),
        every(pollMs, async () => collect(), onError),
        every(heartbeatMs, announce, onError),
      ]
    },
    isJoined: () => stops !== undefined,
    hasOthers: () => hadOthers,
    isThere: async (other) => other === id || (await others()).some((one) => one.id === other),
    others: async () => (await others()).map((one) => one.id),
    async send(to, word) {
      return (await others()).some((one) => one.id === to) && put(to, word)
    },
    reply: put,
    async sendAll(word) {
      const all = await others()
      await Promise.all(all.map((one) => put(one.id, word)))
      return all.map((one) => one.id)
    },
    on(kind, hear) {
      const all = hearers.get(kind) ?? new Set()
      hearers.set(kind, all.add(hear))
      return () => void all.delete(hear)
    },
    onMissed(check) {
      checks.add(check)
      return () => void checks.delete(check)
    },
    async stopping() {
      isStopping = true
      if (stops !== undefined) await announce()
    },
    async leave() {
      const before = stops
      stops = undefined
      if (before === undefined) return
      await Promise.all(before.map((stop) => stop()))
      await work.allDone()
      await instances.remove(id).catch(onError)
    },
  }
}

/** Mail opens only as the one it was sealed as, for the one it was put for. */
const bindingOf = (mail: string, to: string) => `mail/${mail}/${to}`
