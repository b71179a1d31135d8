import { randomUUID } from 'node:crypto'
import { isPlainObject } from '../../base/json.ts'
import { stepIdentity } from '../../call/step.ts'
import { openState, StateRefused, sealState } from '../../mcp/request-state.ts'
import type { AskingSettings, Visit } from '../context.ts'
import { type WalkState, walkFrom } from './walk-state.ts'

/** A state longer than this stays here, and the client carries only its name. */
const longestCarried = 8_192

/** The walk, sealed for the client to carry to the next round. What is too long to carry is kept, sealed as well. */
export async function carry({ assent, call, clocks, walk }: Visit): Promise<string> {
  const expiresAt = new Date(assent.clock.now().getTime() + clocks.state)
  walk.n = (walk.n ?? 0) + 1
  const text = JSON.stringify(walk)
  if (text.length <= longestCarried) return sealState(assent.vault, call, walk, expiresAt)

  const key = { walk: walk.w, name: `state ${randomUUID()}` }
  await assent.store.steps.claim(key, expiresAt)
  await assent.store.steps.finish(key, await assent.vault.seal(text, stepIdentity(key)))
  return sealState(assent.vault, call, { kept: key }, expiresAt)
}

/** The walk that a client carried here. Throws `StateRefused` for what is not ours, not for this request, or too old. */
export async function carried({ assent }: AskingSettings, call: Visit['call'], text: string): Promise<WalkState> {
  const state = await openState(assent.vault, call, text, assent.clock.now())
  if (!isPlainObject(state) || !isPlainObject(state.kept)) return walkFrom(state)

  const key = { walk: String(state.kept.walk), name: String(state.kept.name) }
  const kept = await assent.store.steps.claim(key, assent.clock.now())
  if (kept.kind !== 'finished') throw new StateRefused(new Error('kept no longer'))
  return walkFrom(JSON.parse(await assent.vault.open(kept.result, stepIdentity(key))))
}
