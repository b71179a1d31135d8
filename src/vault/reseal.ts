import type { AssentErrorCode } from '../base/errors.ts'
import type { Sealed, Vault } from '../base/seal.ts'
import { type StepStore, stepIdentity } from '../call/step.ts'
import { type Connection, credentialIdentity } from '../connection/connection.ts'
import type { ConnectionStore } from '../connection/store.ts'
import { answerIdentity } from '../elicitation/answering/answer-identity.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ElicitationStore } from '../elicitation/store.ts'
import { KeyMissing, SealBroken } from './errors.ts'

/** How resealing ended. What failed is left as it was. */
export interface Resealed {
  readonly resealed: number
  readonly failed: readonly ResealFailure[]
}

/** `kept_changing`: each time it was to be saved, another process had saved or sealed it otherwise. */
export interface ResealFailure {
  /** The id of the question, or the identity of the step (`step/…`) or of the credential (`connection/…`). */
  readonly id: string
  readonly code: Extract<AssentErrorCode, 'key_missing' | 'seal_broken'> | 'kept_changing'
}

/** What resealing works on; `progress` hears how far it came, after each page. */
export interface Resealing {
  readonly elicitations: Pick<ElicitationStore, 'listSealedExcept' | 'saveIfUnchanged'>
  readonly steps: Pick<StepStore, 'listSealedExcept' | 'reseal'>
  readonly connections: Pick<ConnectionStore, 'listSealedExcept' | 'saveIfUnchanged'>
  readonly vault: Vault
  readonly progress?: (soFar: { readonly resealed: number; readonly failed: number }) => void
}

/** One record with a seal. */
interface SealedRecord {
  readonly id: string
  /** False: someone else was first. The next page has it again, if it still needs us. */
  sealAnew(): Promise<boolean>
}

const pageSize = 100
const mostTries = 5

/** Seals everything anew that is sealed under another key than the current one. What cannot be opened stops nothing else. */
export async function resealAll(resealing: Resealing): Promise<Resealed> {
  const { vault, progress } = resealing
  const failed = new Map<string, ResealFailure>()
  const tries = new Map<string, number>()
  const resealed = new Set<string>()

  for (;;) {
    // Asked for each page: keys may be rotated again meanwhile. And what failed is listed again each time, in no
    // promised order: a page has room for all of it, so that it never hides the rest.
    const page = await listSealedExcept(await vault.currentKey(), failed.size + pageSize, resealing)
    const left = page.filter(({ id }) => !failed.has(id))
    if (left.length === 0) return { resealed: resealed.size, failed: [...failed.values()] }

    for (const record of left) {
      const { id } = record
      const tried = (tries.get(id) ?? 0) + 1
      tries.set(id, tried)
      const code = tried > mostTries ? 'kept_changing' : await reseal(record)
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

/** At most `limit` of each kind: none hides the others. Flows are left out: they are over before a key goes. */
async function listSealedExcept(
  key: string,
  limit: number,
  { elicitations, steps, connections, vault }: Resealing,
): Promise<SealedRecord[]> {
  const answers = await elicitations.listSealedExcept(key, limit)
  const finished = await steps.listSealedExcept(key, limit)
  const connected = await connections.listSealedExcept(key, limit)
  return [
    ...answers.map((elicitation) => ({
      id: elicitation.id,
      async sealAnew() {
        const next = await withNewAnswerSeal(elicitation, vault)
        return next !== undefined && (await elicitations.saveIfUnchanged(next))
      },
    })),
    ...finished.map(({ key, result }) => ({
      id: stepIdentity(key),
      sealAnew: async () => steps.reseal(key, result, await moveSeal(result, stepIdentity(key), vault)),
    })),
    ...connected.map((connection) => ({
      id: credentialIdentity(connection),
      sealAnew: async () => connections.saveIfUnchanged(await withNewCredentialSeal(connection, vault)),
    })),
  ]
}

async function reseal(record: SealedRecord): Promise<'resealed' | 'changed' | ResealFailure['code']> {
  try {
    return (await record.sealAnew()) ? 'resealed' : 'changed'
  } catch (error) {
    if (error instanceof KeyMissing || error instanceof SealBroken) return error.code
    throw error
  }
}

async function withNewCredentialSeal(connection: Connection, vault: Vault): Promise<Connection> {
  const sealed = await moveSeal(connection.sealed, credentialIdentity(connection), vault)
  return { ...connection, version: connection.version + 1, sealed }
}

async function withNewAnswerSeal(elicitation: Elicitation, vault: Vault): Promise<Elicitation | undefined> {
  const { state, version } = elicitation
  if (state.kind !== 'answered' || !('sealed' in state.answer)) return undefined
  const sealed = await moveSeal(state.answer.sealed, answerIdentity(elicitation), vault)
  return { ...elicitation, version: version + 1, state: { ...state, answer: { ...state.answer, sealed } } }
}

async function moveSeal(sealed: Sealed, identity: string, vault: Vault): Promise<Sealed> {
  return vault.seal(await vault.open(sealed, identity), identity)
}
