import type { ParticipantId } from '../participant/participant.ts'
import type { Connection } from './connection.ts'
import type { Flow } from './flow/flow.ts'

/** Keeps connections, one for each participant and provider, and the flows that bring them. Never reads the clock. */
export interface ConnectionStore {
  get(participant: ParticipantId, provider: string): Promise<Connection | undefined>
  /** In the order of the providers' names. */
  list(participant: ParticipantId): Promise<Connection[]>
  /** Of everybody, in no promised order, for whoever runs the installation. */
  listAll(limit: number): Promise<Connection[]>
  /** Puts it in the place of whatever was there for this participant and provider; that is what a new consent does. */
  put(connection: Connection): Promise<void>
  /** Saves only where id and version are those before it. False: someone else was first, or it is gone. */
  saveIfUnchanged(next: Connection): Promise<boolean>
  /** Removes only this id, whatever its version. False: it is not there. */
  remove(connection: Pick<Connection, 'participant' | 'provider' | 'id'>): Promise<boolean>
  /** Those with a credential sealed under another key than `key`, in no promised order. */
  listSealedExcept(key: string, limit: number): Promise<Connection[]>
  /** Every key that some kept credential, or flow, is sealed under. */
  sealingKeys(): Promise<string[]>
  /** Deletes all of this participant, flows too. Returns how many connections. */
  forget(participant: ParticipantId): Promise<number>

  addFlow(flow: Flow): Promise<void>
  /** Gives it once, to one of however many who take it at once; then it is gone. */
  takeFlow(id: string): Promise<Flow | undefined>
  /** Deletes flows with `expiresAt` before `moment`. Returns how many. */
  deleteFlows(moment: Date, limit: number): Promise<number>
}
