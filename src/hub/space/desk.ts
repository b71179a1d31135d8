import type { Events } from '../../base/events.ts'
import type { Word } from '../../instance/post.ts'
import type { AssentForHub } from '../needs.ts'
import type { HubLimits, HubTimes, Member } from '../options.ts'
import type { OpenRequest, OpenRequests, RequestDetails } from '../routing/open-requests.ts'
import type { Appended, NewEnvelope } from '../store.ts'
import type { HubProblem, Writing } from '../wire/write.ts'
import type { Failed } from './log.ts'

/** What happened in the hub, for whoever counts or logs it. */
export type HubNews =
  | { readonly kind: 'hub-joined' | 'hub-left'; readonly space: string; readonly participants: number }
  | { readonly kind: 'hub-delivered'; readonly space: string; readonly count: number }
  | { readonly kind: 'hub-refused'; readonly space: string; readonly code: string }
  | { readonly kind: 'hub-failed'; readonly space: string; readonly error: unknown }

/** An envelope to keep and to deliver. */
export interface Posting {
  readonly from: string
  readonly id: string
  readonly to: readonly string[]
  readonly text: string
  /** The same as bytes, if they are there. */
  readonly data?: Buffer
  /** The envelope as its sender wrote it; left out: `text`. */
  readonly original?: string
  readonly state?: NewEnvelope['state']
  readonly opens?: OpenRequest
  readonly answers?: OpenRequest
  /** What it answers will not be delivered any more. */
  readonly stops?: boolean
}

/** What the parts of a space share. */
export interface SpaceDesk {
  readonly name: string
  /** The id of this instance; undefined if nobody shares its store. */
  readonly instance: string | undefined
  readonly members: ReadonlyMap<string, Member>
  readonly assent: AssentForHub
  readonly limits: HubLimits
  readonly times: HubTimes
  readonly requests: OpenRequests
  readonly events: Events<HubNews>
  isHere(id: string): boolean
  /** Resolves when this participant is here, or the time is over. */
  whenHere(id: string, withinMs: number): Promise<boolean>
  /** Keeps an envelope and then delivers it. */
  post(posting: Posting): Promise<Appended | Failed>
  /** Delivers a request that was held, unless it was delivered or is over. */
  release(request: OpenRequest, text: string, details: RequestDetails): Promise<void>
  /** Keeps what is known of an open request. False: it is over. */
  keepDetails(request: OpenRequest, details: RequestDetails): Promise<boolean>
  /** Reads how a request stands now; another instance may have gone on with it. */
  reload(request: OpenRequest): Promise<void>
  /** Ends a request without delivering it any more. */
  stop(request: OpenRequest): Promise<void>
  /** Says something to one participant that is not kept; nothing if they are not in the space. */
  tell(id: string, writing: Omit<Writing, 'to'>): void
  /** Whether another instance serves the space, as far as is known. */
  isRunning(instance: string): boolean
  /** Leaves word for another instance. */
  sendTo(instance: string, word: Word): void
  /** Tells a sender that its envelope was taken, where it wants to hear that. */
  acknowledge(id: string, envelope: string): void
  /** Does work that must be done, again and again while the store is down. */
  surely(work: () => Promise<void>): void
  /** Reports that an envelope could not be kept, and asks its sender to send it again. */
  failed(id: string, envelope: string, error: unknown): void
  /** Tells a sender what was wrong. */
  refuse(id: string, problem: HubProblem): void
}
