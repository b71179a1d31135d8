import type { ParticipantId } from '../participant/participant.ts'
import type { Connection } from './connection.ts'
import type { Flow } from './flow/flow.ts'

/** Stores connections, one for each participant and provider, and the flows that create them. Never reads the clock. */
export interface ConnectionStore {
  get(participant: ParticipantId, provider: string): Promise<Connection | undefined>
  /** In the order of the providers' names. */
  list(participant: ParticipantId): Promise<Connection[]>
  /** Connections of all participants, in any order, for the administrator. */
  listAll(limit: number): Promise<Connection[]>
  /** Replaces any connection of this participant and provider, as a new consent does. */
  put(connection: Connection): Promise<void>
  /**
   * Saves only if the stored id is the same and the stored version the one before. False if not, or if it was removed.
   */
  saveIfUnchanged(next: Connection): Promise<boolean>
  /** Removes the connection with this id, whatever its version. False if it is not stored. */
  remove(connection: Pick<Connection, 'participant' | 'provider' | 'id'>): Promise<boolean>
  /** Connections whose credential is sealed under another key than `key`, in any order. */
  listSealedExcept(key: string, limit: number): Promise<Connection[]>
  /** Every key that some stored credential or flow is sealed under. */
  sealingKeys(): Promise<string[]>
  /** Deletes all connections and flows of this participant. Returns how many connections. */
  forget(participant: ParticipantId): Promise<number>

  addFlow(flow: Flow): Promise<void>
  /** Deletes the flow and returns it. Of concurrent callers only one gets it. */
  takeFlow(id: string): Promise<Flow | undefined>
  /** Deletes flows with `expiresAt` before `moment`. Returns how many. */
  deleteFlows(moment: Date, limit: number): Promise<number>
}
