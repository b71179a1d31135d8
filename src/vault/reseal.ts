import type { AssentErrorCode } from '../base/errors.ts'
import type { Sealed, Vault } from '../base/seal.ts'
import { type StepStore, stepIdentity } from '../call/step.ts'
import { type Connection, credentialIdentity } from '../connection/connection.ts'
import { type RegistrationStore, registrationIdentity } from '../connection/registration/registration.ts'
import type { ConnectionStore } from '../connection/store.ts'
import { answerIdentity } from '../elicitation/answering/answer-identity.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ElicitationStore } from '../elicitation/store.ts'
import { KeyMissing, SealBroken } from './errors.ts'

/** How resealing ended. Values that failed were not changed. */
export interface Resealed {
  readonly resealed: number
  readonly failed: readonly ResealFailure[]
}

/** A value that was not resealed. `kept_changing`: another process changed it each time before it was saved. */
export interface ResealFailure {
  /** The id of the question, or the identity of the step (`step/…`), the credential (`connection/…`) or the registration (`registration/…`). */
  readonly id: string
  readonly code: Extract<AssentErrorCode, 'key_missing' | 'seal_broken'> | 'kept_changing'
}

/** What resealing works on. `progress` is called after each page. */
export interface Resealing {
  readonly elicitations: Pick<ElicitationStore, 'listSealedExcept' | 'saveIfUnchanged'>
  readonly steps: Pick<StepStore, 'listSealedExcept' | 'reseal'>
  readonly connections: Pick<ConnectionStore, 'listSealedExcept' | 'saveIfUnchanged'>
  readonly registrations: Pick<RegistrationStore, 'listSealedExcept' | 'saveIfUnchanged'>
  readonly vault: Vault
  readonly progress?: (soFar: { readonly resealed: number; readonly failed: number }) => void
}

/** One record with a sealed value. */
interface SealedRecord {
  readonly id: string
  /** False if the record was changed meanwhile. If it still needs resealing, it is on the next page again. */
  reseal(): Promise<boolean>
}

const pageSize = 100
const maxTries = 5

/**
 * Reseals everything that is sealed under another key than the current one. A value that cannot be opened is skipped.
 */
export async function resealAll(resealing: Resealing): Promise<Resealed> {
  const { vault, progress } = resealing
  const failed = new Map<string, ResealFailure>()
  const tries = new Map<string, number>()
  const resealed = new Set<string>()

  for (;;) {
    // The key is read for each page, because keys may be rotated again meanwhile. Failed records are listed each time,
    // in
    // any order, so a page has room for all of them and never misses the rest.
    const page = await listSealedExcept(await vault.currentKey(), failed.size + pageSize, resealing)
    const remaining = page.filter(({ id }) => !failed.has(id))
    if (remaining.length === 0) return { resealed: resealed.size, failed: [...failed.values()] }

    for (const record of remaining) {
      const { id } = record
      const tried = (tries.get(id) ?? 0) + 1
      tries.set(id, tried)
      const code = tried > maxTries ? 'kept_changing' : await tryReseal(record)
      if (code === 'resealed') {
        resealed.add(id)
      } else if (code !== 'changed') {
        resealed.delete(id)
        failed.set(id, { id, code })
      }
    }
    progress?.({ resealed: resealed.size, failed: failed.size })
  }
}

/** At most `limit` records of each kind. Flows are left out, because they expire before a key is dropped. */
async function listSealedExcept(
  key: string,
  limit: number,
  { elicitations, steps, connections, registrations, vault }: Resealing,
): Promise<SealedRecord[]> {
  const answers = await elicitations.listSealedExcept(key, limit)
  const finished = await steps.listSealedExcept(key, limit)
  const connected = await connections.listSealedExcept(key, limit)
  const registered = await registrations.listSealedExcept(key, limit)
  return [
    ...answers.map((elicitation) => ({
      id: elicitation.id,
      async reseal() {
        const next = await withResealedAnswer(elicitation, vault)
        return next !== undefined && (await elicitations.saveIfUnchanged(next))
      },
    })),
    ...finished.map(({ key, result }) => ({
      id: stepIdentity(key),
      reseal: async () => steps.reseal(key, result, await resealValue(result, stepIdentity(key), vault)),
    })),
    ...connected.map((connection) => ({
      id: credentialIdentity(connection),
      reseal: async () => connections.saveIfUnchanged(await withResealedCredential(connection, vault)),
    })),
    ...registered.map((registration) => ({
      id: registrationIdentity(registration),
      async reseal() {
        const sealed = await resealValue(registration.sealed, registrationIdentity(registration), vault)
        return registrations.saveIfUnchanged({ ...registration, version: registration.version + 1, sealed })
      },
    })),
  ]
}

async function tryReseal(record: SealedRecord): Promise<'resealed' | 'changed' | ResealFailure['code']> {
  try {
    return (await record.reseal()) ? 'resealed' : 'changed'
  } catch (error) {
    if (error instanceof KeyMissing || error instanceof SealBroken) return error.code
    throw error
  }
}

async function withResealedCredential(connection: Connection, vault: Vault): Promise<Connection> {
  const sealed = await resealValue(connection.sealed, credentialIdentity(connection), vault)
  return { ...connection, version: connection.version + 1, sealed }
}

async function withResealedAnswer(elicitation: Elicitation, vault: Vault): Promise<Elicitation | undefined> {
  const { state, version } = elicitation
  if (state.kind !== 'answered' || !('sealed' in state.answer)) return undefined
  const sealed = await resealValue(state.answer.sealed, answerIdentity(elicitation), vault)
  return { ...elicitation, version: version + 1, state: { ...state, answer: { ...state.answer, sealed } } }
}

async function resealValue(sealed: Sealed, identity: string, vault: Vault): Promise<Sealed> {
  return vault.seal(await vault.open(sealed, identity), identity)
}
