import type { AssentErrorCode } from '../base/errors.ts'
import type { Sealed, Vault } from '../base/seal.ts'
import { answerIdentity } from '../elicitation/answer-identity.ts'
import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { ElicitationStore } from '../elicitation/store.ts'
import { KeyMissing, SealBroken } from './errors.ts'

/** How resealing ended. What failed is left as it was. */
export interface Resealed {
  readonly resealed: number
  readonly failed: readonly ResealFailure[]
}

/** `kept_changing`: each time it was to be saved, another process had saved or sealed it otherwise. */
export interface ResealFailure {
  readonly id: ElicitationId
  readonly code: Extract<AssentErrorCode, 'key_missing' | 'seal_broken'> | 'kept_changing'
}

/** What resealing works on; `progress` hears how far it came, after each page. */
export interface Resealing {
  readonly elicitations: Pick<ElicitationStore, 'listSealedExcept' | 'saveIfUnchanged'>
  readonly vault: Vault
  readonly progress?: (soFar: { readonly resealed: number; readonly failed: number }) => void
}

const pageSize = 100
const mostTries = 5

/** Seals everything anew that is sealed under another key than the current one. What cannot be opened stops nothing else. */
export async function resealAll({ elicitations, vault, progress }: Resealing): Promise<Resealed> {
  const failed = new Map<ElicitationId, ResealFailure>()
  const tries = new Map<ElicitationId, number>()
  const resealed = new Set<ElicitationId>()

  for (;;) {
    // Asked for each page: keys may be rotated again meanwhile. And what failed is listed again each time, in no
    // promised order: a page has room for all of it, so that it never hides the rest.
    const page = await elicitations.listSealedExcept(await vault.currentKey(), failed.size + pageSize)
    const left = page.filter(({ id }) => !failed.has(id))
    if (left.length === 0) return { resealed: resealed.size, failed: [...failed.values()] }

    for (const elicitation of left) {
      const { id } = elicitation
      const tried = (tries.get(id) ?? 0) + 1
      tries.set(id, tried)
      const code = tried > mostTries ? 'kept_changing' : await reseal(elicitation, elicitations, vault)
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

/** `changed`: someone else was first. The next page has it again, if it still needs us. */
async function reseal(
  elicitation: Elicitation,
  elicitations: Resealing['elicitations'],
  vault: Vault,
): Promise<'resealed' | 'changed' | ResealFailure['code']> {
  try {
    const next = await withNewSeal(elicitation, vault)
    return next !== undefined && (await elicitations.saveIfUnchanged(next)) ? 'resealed' : 'changed'
  } catch (error) {
    if (error instanceof KeyMissing || error instanceof SealBroken) return error.code
    throw error
  }
}

async function withNewSeal(elicitation: Elicitation, vault: Vault): Promise<Elicitation | undefined> {
  const { state, version } = elicitation
  if (state.kind !== 'answered' || !('sealed' in state.answer)) return undefined
  const sealed = await moveSeal(state.answer.sealed, answerIdentity(elicitation), vault)
  return { ...elicitation, version: version + 1, state: { ...state, answer: { ...state.answer, sealed } } }
}

async function moveSeal(sealed: Sealed, identity: string, vault: Vault): Promise<Sealed> {
  return vault.seal(await vault.open(sealed, identity), identity)
}
