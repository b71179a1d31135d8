import type { ParticipantId } from '../participant/participant.ts'
import type { Grant, GrantId } from './grant/grant.ts'

/** Keeps grants. A store never reads the clock and never decides: callers judge what they get. */
export interface GrantStore {
  /** False: one with this id is kept already, and stays as it is. */
  add(grant: Grant): Promise<boolean>
  get(id: GrantId): Promise<Grant | undefined>
  /** Saves only where the kept version is the one before it. False: someone else was first, or it is gone. */
  saveIfUnchanged(next: Grant): Promise<boolean>
  /** Lasting ones, not revoked, that may concern a call: of this participant and server, for this tool or for all, and those for everybody. */
  listFor(participant: ParticipantId, server: string, tool: string): Promise<readonly Grant[]>
  /**
   * The same without waiting, as it stands now, whichever process wrote last. Undefined: this store cannot tell without
   * waiting, and `listFor` must be used.
   */
  listForAtOnce(participant: ParticipantId, server: string, tool: string): readonly Grant[] | undefined
  /** Unspent and not revoked ones for one call alone, oldest first. */
  listOnce(requester: string, call: string): Promise<Grant[]>
  /** Lasting ones of this participant, newest first, revoked ones too. Give the last id as `after` to get the next page. */
  list(participant: ParticipantId, limit: number, after?: GrantId): Promise<Grant[]>
  /** The same of everybody, for whoever runs the installation. */
  listAll(limit: number, after?: GrantId): Promise<Grant[]>
  /** Deletes those that were spent, revoked or over before `moment`. Returns how many. */
  deleteOver(moment: Date, limit: number): Promise<number>
  /** Deletes those that cover this participant's calls, and their name from those they gave. Returns how many were deleted. */
  forget(participant: ParticipantId): Promise<number>
}
