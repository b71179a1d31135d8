import { digest } from '../base/canonical.ts'
import { AssentError } from '../base/errors.ts'
import { parseJson, writeJson } from '../base/json.ts'
import type { Sealed, Vault } from '../base/seal.ts'
import { type Requester, requesterKey } from '../participant/requester.ts'

/** The request a state belongs to. */
export interface CallIdentity {
  readonly requester: Requester
  /** The server that was asked, so that what one server has sealed is never opened for another. */
  readonly server: string
  readonly method: string
  /** The tool or prompt, or the address of the resource. */
  readonly name: string
  readonly arguments: unknown
}

/** A state that we did not make for this request, or that has expired. The message never says which. */
export class StateRefused extends AssentError {
  readonly code = 'state_refused'
  constructor(cause: unknown) {
    super('Invalid or expired requestState', { cause })
  }
}

/** Longer states are not opened. */
const longest = 262_144

/**
 * Seals a state for a 2026 client to echo. The client can neither read nor change it. It opens only for the same
 * participant, client, server, method, name and arguments, and only until it expires (M26-06 to M26-10).
 */
export async function sealState(vault: Vault, call: CallIdentity, state: unknown, expiresAt: Date): Promise<string> {
  const { key, box } = await vault.seal(writeJson({ e: expiresAt.getTime(), s: state }), bindingOf(call))
  return `${key}~${box}`
}

/** A state that was opened, and when it expires, in milliseconds. */
export interface OpenedState {
  /** Undefined if a version before 0.2 sealed it. */
  readonly state: unknown
  readonly expiresAt: number
}

/** Opens a state that was sealed for this request. Throws `StateRefused` for any other. */
export async function openState(vault: Vault, call: CallIdentity, text: string, now: Date): Promise<OpenedState> {
  try {
    const split = text.length > longest ? -1 : text.indexOf('~')
    const sealed = { key: text.slice(0, split), box: text.slice(split + 1) }
    return await opened(vault, sealed, bindingOf(call), now).catch(async (error) => {
      // Sealed by a version before 0.2, which bound states to no server. Nothing in it is used, so the person is asked again.
      const before = await opened(vault, sealed, bindingWithoutServer(call), now).catch(() => undefined)
      if (before === undefined) throw error
      return { ...before, state: undefined }
    })
  } catch (error) {
    if (error instanceof AssentError && error.code === 'store_unavailable') throw error
    throw new StateRefused(error)
  }
}

async function opened(vault: Vault, sealed: Sealed, binding: string, now: Date): Promise<OpenedState> {
  const { e: expiresAt, s: state } = parseJson(await vault.open(sealed, binding)) as { e: number; s: unknown }
  if (!(now.getTime() < expiresAt)) throw new Error(`expired at ${expiresAt}`)
  return { state, expiresAt }
}

function bindingOf({ requester, server, method, name, arguments: args }: CallIdentity): string {
  return `state/${digest([requesterKey(requester), server, method, name, args ?? null])}`
}

function bindingWithoutServer({ requester, method, name, arguments: args }: CallIdentity): string {
  return `state/${digest([requesterKey(requester), method, name, args ?? null])}`
}
