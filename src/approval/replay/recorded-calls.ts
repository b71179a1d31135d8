import { readPages } from '../../audit/chain/pages.ts'
import type { AuditEvent, Pseudonym } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Effect } from '../policy/policy.ts'

/** A call as the audit has it: what it was, what was decided, and what became of it. */
export interface RecordedCall {
  readonly at: Date
  readonly walk: string
  readonly who?: Pseudonym
  readonly client: string
  readonly server: string
  readonly tool: string
  /** What the policy of that time said. */
  readonly decided: Effect
  /** The number of its rule; absent: no rule named the call. */
  readonly rule?: number
  /** The policy only watched: the call ran, whatever was decided. */
  readonly watched: boolean
  /** Only where its rule kept them, and its participant was not forgotten. */
  readonly arguments?: JsonObject
  readonly ran: boolean
  /** Why it did not run. */
  readonly reason?: string
}

/**
 * The calls in the audit since a moment, chain by chain, each once: what was stopped after it had started counts as what
 * ran. Calls that ended before anything was decided about them are left out.
 */
export async function* recordedCalls(
  store: Pick<AuditStore, 'chains' | 'read'>,
  since = new Date(0),
): AsyncGenerator<RecordedCall> {
  const seen = new Set<string>()
  for (const { chain } of await store.chains()) {
    for await (const page of readPages(store as AuditStore, chain)) {
      for (const event of page) {
        const call = event.at < since ? undefined : callIn(event)
        if (call === undefined || seen.has(call.walk)) continue
        seen.add(call.walk)
        yield call
      }
    }
  }
}

const effects: ReadonlySet<unknown> = new Set<Effect>(['allow', 'ask', 'deny'])

function callIn({ kind, at, about, who, data, kept }: AuditEvent): RecordedCall | undefined {
  if ((kind !== 'call-started' && kind !== 'call-refused') || about === undefined) return undefined
  const { server, tool, client, decided, rule, watched, reason } = data
  if (!effects.has(decided)) return undefined
  const given = kept?.value.arguments
  const ran = kind === 'call-started'
  return {
    at,
    walk: about,
    client: String(client),
    server: String(server),
    tool: String(tool),
    decided: decided as Effect,
    watched: watched === true,
    ran,
    ...(who !== undefined && { who }),
    ...(typeof rule === 'number' && { rule }),
    ...(isPlainObject(given) && { arguments: given as JsonObject }),
    ...(!ran && { reason: String(reason) }),
  }
}
