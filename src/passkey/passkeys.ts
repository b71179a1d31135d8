import type { JsonObject } from '../base/json.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { type Added, type Adding, add, beginAdding, type Created } from './add.ts'
import type { PasskeyDesk } from './desk.ts'
import type { Passkey } from './passkey.ts'
import { relyingPartyProblem } from './relying-party.ts'
import { beginRevoking, type Revoked, rename, revoke, revokeAsOperator } from './revoke.ts'
import { beginSigning, type Signed, type Signing, type Verified, verifySigned } from './sign.ts'

/** The passkeys of people: making, using and revoking them. */
export interface Passkeys {
  /** Why no passkeys can be made or used at this `publicUrl`, and what to do; undefined where they can. */
  readonly problem: string | undefined
  /** Oldest first. */
  list(participant: ParticipantId): Promise<Passkey[]>
  /** Those of everybody, oldest first, page by page. */
  listAll(limit: number, after?: string): Promise<Passkey[]>
  beginAdding(participant: ParticipantId, personName: string): Promise<Adding>
  add(participant: ParticipantId, created: Created): Promise<Added>
  /** Undefined: the person has no passkey. */
  beginSigning(participant: ParticipantId, what: JsonObject): Promise<Signing | undefined>
  /** Whether this person signed exactly `what`; uses the signature up. */
  verify(participant: ParticipantId, what: JsonObject, signed: Signed): Promise<Verified>
  /** False: the person has no such passkey, or nothing is left of the name. */
  rename(participant: ParticipantId, id: string, name: string): Promise<boolean>
  /** What to sign before a passkey is revoked; undefined: the person has no such passkey. */
  beginRevoking(participant: ParticipantId, id: string): Promise<Signing | undefined>
  /** Revokes a person's passkey after they signed that with any of theirs. */
  revoke(participant: ParticipantId, id: string, signed: Signed): Promise<Revoked>
  /** Revokes any passkey, for the operator; undefined: there is none with this id. */
  revokeAsOperator(id: string): Promise<Passkey | undefined>
}

/** Binds passkeys to their desk. */
export function createPasskeys(desk: PasskeyDesk): Passkeys {
  return {
    problem: relyingPartyProblem(desk.site),
    list: (participant) => desk.store.list(participant),
    listAll: (limit, after) => desk.store.listAll(limit, after),
    beginAdding: (participant, personName) => beginAdding(desk, participant, personName),
    add: (participant, created) => add(desk, participant, created),
    beginSigning: (participant, what) => beginSigning(desk, participant, what),
    verify: (participant, what, signed) => verifySigned(desk, participant, what, signed),
    rename: (participant, id, name) => rename(desk, participant, id, name),
    beginRevoking: (participant, id) => beginRevoking(desk, participant, id),
    revoke: (participant, id, signed) => revoke(desk, participant, id, signed),
    revokeAsOperator: (id) => revokeAsOperator(desk, id),
  }
}
