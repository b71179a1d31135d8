import type { Completed, ReturnFromProvider } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { serverTagIn } from '../registration/server-tag.ts'
import type { Flow } from './flow.ts'

type Why = Extract<Completed, { kind: 'refused' }>['why']

/**
 * Takes the flow that this person began in this browser. Any other return is refused and recorded, and its flow is used
 * up.
 */
export async function takeFlow(
  desk: ConnectionDesk,
  returning: ReturnFromProvider,
): Promise<{ readonly kind: 'taken'; readonly flow: Flow } | Extract<Completed, { kind: 'refused' }>> {
  const id = stateOf(returning.callback)
  const flow = id === undefined ? undefined : await desk.store.takeFlow(id)
  const reason = flow && refusal(flow, returning, desk.clock.now())
  if (flow && reason === undefined) return { kind: 'taken', flow }

  const why = reason ?? 'unknown-state'
  await desk.audit.record({
    kind: 'connect-refused',
    who: returning.person.participant,
    ...(flow?.elicitation && { about: flow.elicitation }),
    data: { reason: why, provider: flow?.provider },
  })
  return { kind: 'refused', why }
}

function refusal(flow: Flow, { browser, person, callback }: ReturnFromProvider, now: Date): Why | undefined {
  if (now >= flow.expiresAt) return 'expired'
  if (flow.browser !== browser) return 'other-browser'
  if (flow.participant !== person.participant) return 'other-person'
  if (serverTagIn(callback) !== serverTagIn(new URL(flow.redirectUri))) return 'other-server'
  return undefined
}

/** Undefined if there are two states, because it would be ambiguous which one counts. */
function stateOf({ searchParams }: URL): string | undefined {
  const [state, ...more] = searchParams.getAll('state')
  return state !== undefined && more.length === 0 && /^[\w-]{43}$/.test(state) ? state : undefined
}
