import type { AuditLog } from '../audit/log.ts'
import type { Clock } from '../base/clock.ts'
import type { Events } from '../base/events.ts'
import type { Vault } from '../base/seal.ts'
import type { Person } from '../participant/identify.ts'
import type { Answerer } from './answering/answerers.ts'
import type { AskOutcome } from './answering/may-answer.ts'
import type { Signatures } from './answering/signatures.ts'
import type { Channel, LinkTo } from './channel.ts'
import type { Elicitation, ElicitationId, Purpose } from './elicitation.ts'
import type { ElicitationLimits } from './limits.ts'
import type { Changes, ElicitationStore } from './store.ts'

/** What happened at the desk, for whoever counts or logs it. */
export type ElicitationNews =
  /** `changed`: it is still open, and somebody voted or handed it on, or others are asked too. */
  | { readonly kind: 'asked' | 'joined' | 'changed'; readonly elicitation: Elicitation }
  | { readonly kind: 'settled'; readonly elicitation: Elicitation; readonly outcome: AskOutcome }
  /** A question without a kept record was asked through the requester's client, or answered there. */
  | CarriedAsked
  | CarriedAnswered
  | { readonly kind: 'tidy-failed'; readonly error: unknown }
  /** This machine's clock is too far from the store's. Told once an hour, in words with the remedy. */
  | { readonly kind: 'clock-wrong'; readonly problem: string }
  /** A call ended, its client has the result, and the store did not take the record of it. It is tried again. */
  | { readonly kind: 'end-unrecorded'; readonly error: unknown }
  /** The store did not take what was counted. It is tried again. Told once a minute. */
  | { readonly kind: 'counts-unwritten'; readonly error: unknown }
  /** A client could not be asked in the way that was needed. */
  | { readonly kind: 'fallback'; readonly server: string; readonly reason: string }
  | { readonly kind: 'answer-refused'; readonly elicitation: Elicitation; readonly reason: string }
  | {
      readonly kind: 'channel-failed'
      readonly elicitation: Elicitation
      readonly channel: string
      readonly error: unknown
    }

/** A question that the client's sealed state carries, or a request to the client. */
export interface CarriedAsked {
  readonly kind: 'carried-asked'
  readonly server: string
  readonly mode: 'form' | 'url'
  readonly purpose: Purpose
}

export interface CarriedAnswered extends Omit<CarriedAsked, 'kind'> {
  readonly kind: 'carried-answered'
  readonly action: 'accept' | 'decline' | 'cancel'
  /** Since it was asked, if that is known. */
  readonly waitedMs?: number
}

/** What is known of people, for those who hand a question on. */
export interface KnownPeople {
  /** Undefined: a group, or somebody who was not here before. */
  find(name: Answerer): Promise<Person | undefined>
  /** Why nobody could ever come by this name, in words; undefined: somebody could. */
  problemWith(name: Answerer): string | undefined
}

/** Everything that asking and answering needs, bound once in assent.ts. */
export interface Desk {
  readonly store: ElicitationStore
  readonly changes: Changes
  readonly vault: Vault
  readonly audit: AuditLog
  readonly clock: Clock
  readonly channels: readonly Channel[]
  readonly signatures: Signatures
  readonly linkTo: LinkTo
  readonly limits: ElicitationLimits
  /** People who were here before. */
  readonly people: KnownPeople
  /** How long a question stays open when the one who asks does not say, in milliseconds. */
  readonly questionMs: number
  readonly events: Events<ElicitationNews>
  /** The clients of this process that asked a question which is open, and are connected. */
  readonly attended: Map<ElicitationId, Set<AbortSignal>>
  readonly waits: Waits
}

/** Those who wait for an answer in this process. */
export interface Waits {
  /** Called with the end of one wait; the returned function forgets it. Once all were ended, new ones end at once. */
  add(end: () => void): () => void
  endAll(): void
}
