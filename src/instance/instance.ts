/** A running process that shares its store with others, as it announces itself. */
export interface Instance {
  readonly id: string
  readonly startedAt: Date
  /** By the store's clock, when it last said that it runs. */
  readonly seenAt: Date
  /** How far the clock of its machine is ahead of the store's, in milliseconds. */
  readonly aheadMs: number
  /** It was told to stop: it takes no new calls soon. */
  readonly isStopping: boolean
}

/** Keeps who is there. A store never judges who is gone: callers compare `seenAt` with the store's clock. */
export interface InstanceStore {
  /** Adds the instance, or replaces what it said before. */
  announce(instance: Instance): Promise<void>
  /** All that are kept, in the order of starting, those of the same moment by id. */
  list(): Promise<Instance[]>
  remove(id: string): Promise<void>
  /** Deletes those that were last seen before `moment`. Returns how many. */
  deleteUnseen(moment: Date, limit: number): Promise<number>
}

/** An instance that has said nothing for so long is gone, in milliseconds. */
const leaseMs = 10_000
/** How often an instance says that it runs, in milliseconds. */
export const heartbeatMs = 3_000

/** Whether others may have taken for gone, meanwhile, an instance that said at `said` that it runs. Sooner than they did. */
export function mayHaveSeemedGone(said: Date, now: Date): boolean {
  return now.getTime() - said.getTime() >= leaseMs / 2
}

/** Whether the instance still runs, as far as the store knows. */
export function isAlive({ seenAt }: Instance, now: Date): boolean {
  return now.getTime() - seenAt.getTime() < leaseMs
}
