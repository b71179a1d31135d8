import type { JsonObject } from '../../base/json.ts'
import { warnOf } from '../../base/under-way.ts'
import type { Appended, Appending, HubStore, NewEnvelope } from '../store.ts'

/** Writes to the log of a space, one after the other, so that envelopes are delivered in the order of their numbers. */
export interface SpaceLog {
  /** Keeps an envelope together with all others of this moment. `kept` is called in the order of the log. */
  append(appending: Appending, kept: (end: Appended | Failed) => void): void
  /** Delivers an envelope that was held. `kept` gets its new number. */
  release(
    envelope: Pick<NewEnvelope, 'space' | 'from' | 'id'>,
    to: Released,
    kept: (seq: number) => void,
  ): Promise<void>
  /** Resolves when everything so far is kept. */
  drained(): Promise<void>
}

export interface Failed {
  readonly kind: 'failed'
  readonly error: unknown
}

interface Released {
  readonly text: string
  readonly open: JsonObject
  /** Gets it at once and never says what it received. */
  readonly handedTo: () => string | undefined
}

type Job =
  | { readonly kind: 'append'; readonly appending: Appending; kept(end: Appended | Failed): void }
  | { readonly kind: 'other'; work(): Promise<void> }

const mostAtOnce = 500

export function createSpaceLog(store: HubStore): SpaceLog {
  const queue: Job[] = []
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    // Deferred, so that messages that are read from sockets in the same moment go into one write.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      const [first] = queue
      if (first?.kind === 'other') {
        queue.shift()
        await first.work()
        continue
      }
      const end = queue.findIndex(({ kind }) => kind !== 'append')
      const batch = queue.splice(0, Math.min(end === -1 ? queue.length : end, mostAtOnce)) as Extract<
        Job,
        { kind: 'append' }
      >[]
      await appendAll(batch)
    }
    writing = undefined
  }

  async function appendAll(batch: readonly Extract<Job, { kind: 'append' }>[]): Promise<void> {
    let ends: (Appended | Failed)[]
    try {
      ends = await store.append(batch.map(({ appending }) => appending))
    } catch (error) {
      ends = batch.map(() => ({ kind: 'failed', error }))
    }
    batch.forEach(({ kept }, index) => {
      try {
        kept(ends[index] as Appended | Failed)
      } catch (error) {
        warnOf(error)
      }
    })
  }

  function enqueue(job: Job): void {
    queue.push(job)
    writing ??= write()
  }

  return {
    append: (appending, kept) => enqueue({ kind: 'append', appending, kept }),
    release: (envelope, { handedTo, ...to }, kept) =>
      new Promise((resolve, reject) => {
        async function work(): Promise<void> {
          try {
            const seq = await store.change(envelope, { ...to, state: 'sent' })
            const participant = handedTo()
            if (participant !== undefined && seq !== undefined) {
              await store.saveReceived(envelope.space, new Map([[participant, seq]]))
            }
            if (seq !== undefined) kept(seq)
            resolve()
          } catch (error) {
            reject(error)
          }
        }
        enqueue({ kind: 'other', work })
      }),
    async drained() {
      await writing
    },
  }
}
