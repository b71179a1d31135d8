import { isPlainObject } from '../base/json.ts'
import type { Revision } from '../elicitation/form/revision.ts'
import { type ClientInfo, type Quirk, quirkOf } from './quirks.ts'

/** The modes of elicitation that a client supports. */
export interface Modes {
  readonly form: boolean
  readonly url: boolean
}

const none: Modes = { form: false, url: false }

/** The modes that a client declared, less those that its quirks take away. `{}` means form only (E11-09). */
export function modesOf(
  declared: unknown,
  revision: Revision | undefined,
  client?: ClientInfo,
  quirks: readonly Quirk[] = [],
): Modes {
  if (revision === undefined || !isPlainObject(declared)) return none
  const says = (mode: 'form' | 'url') => declared[mode] !== undefined && declared[mode] !== null
  const neither = !says('form') && !says('url')
  const quirk = quirkOf(client, quirks)
  return {
    form: (says('form') || neither) && !quirk.includes('form'),
    // 2025-06-18 has no url mode, whatever a client declares.
    url: says('url') && revision !== '2025-06-18' && !quirk.includes('url'),
  }
}
