import type { Assent, AssentOptions, Elicitation } from '../../../src/index.ts'
import type { Login, SigningIn } from '../../../src/participant/identify.ts'
import { participantId } from '../../../src/participant/participant.ts'
import { localRequester } from '../../../src/participant/requester.ts'
import { type FixedClock, fixedClock } from '../../../src/testing/index.ts'
import { createWeb, type Web, type WebOptions } from '../../../src/web/index.ts'
import { anAsk } from '../asks.ts'
import { anAssent } from '../assents.ts'

export const issuer = 'https://login.example.com'

/** Pages of an installation, with the Assent behind them. */
export interface Place {
  readonly assent: Assent
  readonly web: Web
  readonly clock: FixedClock
  readonly errors: unknown[]
}

/** Without a login: one local person, by enrolled browsers. */
export async function localPlace(options: WebOptions = {}, assentOptions: AssentOptions = {}): Promise<Place> {
  const clock = fixedClock()
  const assent = await anAssent({ clock, ...assentOptions })
  const errors: unknown[] = []
  return { assent, clock, errors, web: createWeb(assent, { onError: (error) => errors.push(error), ...options }) }
}

/** With a login at which `code` says who signs in. */
export async function loginPlace(options: WebOptions = {}, assentOptions: AssentOptions = {}): Promise<Place> {
  const clock = fixedClock()
  const assent = await anAssent({ clock, ...assentOptions })
  const errors: unknown[] = []
  const web = createWeb({ ...assent, login: loginByCode }, { onError: (error) => errors.push(error), ...options })
  return { assent, clock, errors, web }
}

export const left: SigningIn[] = []

export const loginByCode: Login = {
  issuer,
  audience: 'https://assent.test/mcp',
  byToken: async () => undefined,
  onPages: {
    async begin(signing) {
      left.push(signing)
      return { kind: 'begun', url: `${issuer}/authorize?state=${signing.state}` }
    },
    async complete({ state }, callback) {
      // Such as "carol~admins": a name, and the groups they are in.
      const [subject = '', ...groups] = callback.searchParams.get('code')?.split('~') ?? []
      if (callback.searchParams.get('state') !== state || subject === '' || subject === 'nobody')
        return { kind: 'failed', message: 'The login said no.' }
      return { kind: 'signed-in', who: { participant: participantId({ issuer, subject }), groups } }
    },
  },
}

/** A question to the local person. */
export async function askLocal({ assent }: Place, over: Parameters<typeof anAsk>[0] = {}): Promise<Elicitation> {
  return (await assent.ask(anAsk({ requester: { ...localRequester, clientName: 'Claude Code' }, ...over }))).elicitation
}

interface KeptEvent {
  readonly kind: string
  readonly about?: string
  readonly data: Record<string, unknown>
}

/** What the audit holds of this kind. */
export async function auditOf({ assent }: Place, kind: string): Promise<KeptEvent[]> {
  const events: KeptEvent[] = []
  for await (const line of assent.exportAudit()) events.push(...[JSON.parse(line).event ?? []].flat())
  return events.filter((event) => event.kind === kind)
}
