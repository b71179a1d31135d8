import type { AuditLog } from '../audit/log.ts'
import type { Clock } from '../base/clock.ts'
import type { Vault } from '../base/seal.ts'
import type { Answered } from '../elicitation/answering/answered.ts'
import type { Answering } from '../elicitation/answering/answerers.ts'
import type { Answer, Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { Provider } from './provider.ts'
import type { ConnectionStore } from './store.ts'

/** What connecting needs of questions. */
export interface Questions {
  get(id: ElicitationId): Promise<Elicitation | undefined>
  answer(id: ElicitationId, answering: Answering, answer: Answer): Promise<Answered>
  fail(id: ElicitationId, reason: string): Promise<Elicitation>
}

/** How long things may take, in milliseconds. */
export interface ConnectionTimes {
  /** How long a person may take from our page to the provider and back. */
  readonly browserFlowMs: number
  /** How long before its expiry an access token is renewed. */
  readonly refreshAheadMs: number
  /** How long other processes wait for the one that renews. Must be longer than a provider may take to answer. */
  readonly refreshLeaseMs: number
  /** How long a provider may take to revoke a credential. */
  readonly revokeMs: number
}

export const defaultConnectionTimes: ConnectionTimes = {
  browserFlowMs: 600_000,
  refreshAheadMs: 60_000,
  refreshLeaseMs: 30_000,
  revokeMs: 5_000,
}

/** Everything that connecting depends on, bound once in assent.ts. */
export interface ConnectionDesk extends ConnectionTimes {
  readonly store: ConnectionStore
  readonly providers: ReadonlyMap<string, Provider>
  readonly vault: Vault
  readonly audit: Pick<AuditLog, 'record'>
  readonly clock: Clock
  readonly questions: Questions
  /** The address to which providers send people back. */
  readonly redirectUri: string
}
