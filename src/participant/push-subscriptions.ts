import { createHash, randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { openText, sealText, type Vault } from '../base/seal.ts'
import type { BrowserStore } from './browser.ts'
import type { Person } from './identify.ts'
import type { OwnedStore, PushSubscription } from './owned.ts'
import { localParticipant, type ParticipantId } from './participant.ts'
import type { PushTarget } from './push-target.ts'

/** A browser that its person wants to be told in. */
export interface SubscriptionWish extends Person {
  readonly target: PushTarget
  readonly name: string
  /** The id of the enrolled or signed-in browser. */
  readonly browser?: string
  readonly expiresAt: Date
  /** How many subscriptions one person may have. */
  readonly most: number
}

/** Why a subscription ended: by its person, with its browser, or because the push service no longer knows it. */
export type SubscriptionEnd = 'person' | 'browser' | 'push-service'

/** The browsers that are told of questions by push. */
export interface PushSubscriptions {
  /** What the key of this installation at push services is made from: the same in every process, for good. */
  readonly seed: Buffer
  /** `taken`: this address is that of somebody else. */
  add(wish: SubscriptionWish): Promise<'added' | 'taken' | 'too-many'>
  /** Those that are not over, oldest first. */
  list(participant: ParticipantId): Promise<PushSubscription[]>
  /** False: this participant has no such subscription. */
  remove(participant: ParticipantId, id: string, by: SubscriptionEnd): Promise<boolean>
  /** Ends those of a browser that was removed. */
  removeOf(participant: ParticipantId, browser: string): Promise<void>
  /** Those of these participants and groups. */
  of(names: readonly string[]): Promise<PushSubscription[]>
  /** One that may still be told something, with its address. */
  find(key: string): Promise<{ readonly one: PushSubscription; readonly target: PushTarget } | undefined>
}

/** What subscriptions are kept with. */
export interface SubscriptionParts {
  readonly seed: Buffer
  readonly pushes: OwnedStore<PushSubscription>
  readonly browsers: Pick<BrowserStore, 'list'>
  /** Its key must not be dropped by a rotation. */
  readonly vault: Vault
  readonly clock: Clock
  /** The groups of a person as their login named them last; undefined: not known any more. */
  groupsOf(participant: ParticipantId): Promise<readonly string[] | undefined>
  record(entry: {
    kind: 'push-added' | 'push-removed'
    who: ParticipantId
    about: string
    data?: { by: string }
  }): Promise<void>
}

interface Kept extends PushTarget {
  readonly groups: readonly string[]
}

const pageSize = 500

export function createPushSubscriptions(parts: SubscriptionParts): PushSubscriptions {
  const { seed, pushes, browsers, vault, clock, groupsOf, record } = parts
  const isOver = ({ expiresAt }: PushSubscription) => expiresAt <= clock.now()
  const list = async (participant: ParticipantId) => (await pushes.list(participant)).filter((one) => !isOver(one))
  const open = async (one: PushSubscription) => (await openText(vault, identityOf(one), one.sealed)) as Kept | undefined

  async function remove(participant: ParticipantId, id: string, by: SubscriptionEnd): Promise<boolean> {
    if (!(await pushes.remove(participant, id))) return false
    await record({ kind: 'push-removed', who: participant, about: id, data: { by } })
    return true
  }

  async function inGroups(one: PushSubscription, groups: readonly string[]): Promise<boolean> {
    const theirs = (await groupsOf(one.participant)) ?? (await open(one))?.groups ?? []
    return theirs.some((group) => groups.includes(group))
  }

  return {
    seed,
    list,
    remove,
    async add({ participant, groups, target, name, browser, expiresAt, most }) {
      const key = keyOf(target)
      const known = await pushes.getByKey(key)
      if (known !== undefined && known.participant !== participant) return 'taken'
      const mine = await list(participant)
      if (mine.filter((one) => one.key !== key).length >= most) return 'too-many'
      const id = randomUUID()
      const place = { participant, id }
      const kept: Kept = { ...target, groups }
      const sealed = await sealText(vault, identityOf(place), kept)
      // Recorded first, so that nothing is told to a browser without the audit knowing.
      await record({ kind: 'push-added', who: participant, about: id })
      if (known !== undefined) await pushes.remove(participant, known.id)
      const createdAt = clock.now()
      const one = { ...place, key, name, createdAt, expiresAt, sealed, ...(browser !== undefined && { browser }) }
      return (await pushes.add(one)) ? 'added' : 'taken'
    },
    async removeOf(participant, browser) {
      for (const one of await pushes.list(participant)) {
        if (one.browser === browser) await remove(participant, one.id, 'browser')
      }
    },
    async of(names) {
      const groups = names.filter((name) => name.startsWith('group:')).map((name) => name.slice('group:'.length))
      const people = names.filter((name) => !name.startsWith('group:')) as ParticipantId[]
      const found = new Map<string, PushSubscription>()
      for (const person of people) for (const one of await list(person)) found.set(one.id, one)
      for (let after: string | undefined; groups.length > 0; ) {
        const page = await pushes.listAll(pageSize, after)
        for (const one of page) {
          if (!isOver(one) && !found.has(one.id) && (await inGroups(one, groups))) found.set(one.id, one)
        }
        if (page.length < pageSize) break
        after = page.at(-1)?.id
      }
      return [...found.values()]
    },
    async find(key) {
      const one = await pushes.getByKey(key)
      if (one === undefined || isOver(one)) return undefined
      // A sign-in is short and renewed, so only enrolled browsers end what they are told by.
      if (one.participant === localParticipant && one.browser !== undefined) {
        const now = clock.now()
        const isThere = (await browsers.list(one.participant)).some(
          ({ id, expiresAt }) => id === one.browser && expiresAt > now,
        )
        if (!isThere) {
          await remove(one.participant, one.id, 'browser')
          return undefined
        }
      }
      const target = await open(one)
      return target && { one, target }
    },
  }
}

const identityOf = ({ participant, id }: Pick<PushSubscription, 'participant' | 'id'>) => `push/${participant}/${id}`

const keyOf = ({ endpoint }: PushTarget) => createHash('sha256').update(endpoint).digest('base64url')
