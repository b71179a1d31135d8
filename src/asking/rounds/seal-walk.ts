import { randomUUID } from 'node:crypto'
import { isPlainObject, parseJson, writeJson } from '../../base/json.ts'
import { stepIdentity } from '../../call/step.ts'
import { openState, StateRefused, sealState } from '../../mcp/request-state.ts'
import type { AskingSettings, RequestContext } from '../context.ts'
import { decodeWalk, encodeWalk, type WalkState } from './walk-state.ts'

/** A longer state is kept in the store, and the client carries a reference to it. */
const longestCarried = 8_192

/** Seals the walk into a `requestState` that the client echoes with its next request. */
export async function sealWalk({ assent, call, clocks, walk }: RequestContext): Promise<string> {
  const expiresAt = new Date(assent.clock.now().getTime() + clocks.state)
  walk.round = (walk.round ?? 0) + 1
  const state = encodeWalk(walk)
  const text = writeJson(state)
  if (text.length <= longestCarried) return sealState(assent.vault, call, state, expiresAt)

  const key = { walkId: walk.id, name: `state ${randomUUID()}` }
  await assent.store.steps.claim(key, expiresAt)
  await assent.store.steps.finish(key, await assent.vault.seal(text, stepIdentity(key)))
  return sealState(assent.vault, call, { kept: { walk: key.walkId, name: key.name } }, expiresAt)
}

/** Opens a `requestState`. Throws `StateRefused` unless we sealed it, for this request, and it has not expired. */
export async function openWalk(
  { assent }: AskingSettings,
  call: RequestContext['call'],
  text: string,
): Promise<WalkState> {
  const { state, expiresAt } = await openState(assent.vault, call, text, assent.clock.now())
  if (!isPlainObject(state) || !isPlainObject(state.kept)) return { ...decodeWalk(state), expiresAt }

  const key = { walkId: String(state.kept.walk), name: String(state.kept.name) }
  const kept = await assent.store.steps.claim(key, assent.clock.now())
  if (kept.kind !== 'finished') throw new StateRefused(new Error('the kept state was deleted'))
  return { ...decodeWalk(parseJson(await assent.vault.open(kept.result, stepIdentity(key)))), expiresAt }
}
