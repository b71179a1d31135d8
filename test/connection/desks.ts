import type { Connection } from '../../src/connection/connection.ts'
import type { ConnectBegun, Connections } from '../../src/connection/connections.ts'
import { createConnections } from '../../src/connection/create-connections.ts'
import type { Credential } from '../../src/connection/credential/credential.ts'
import { sealCredential } from '../../src/connection/credential/open-credential.ts'
import type { ConnectionDesk } from '../../src/connection/desk.ts'
import { defaultConnectionTimes } from '../../src/connection/desk.ts'
import type { Provider } from '../../src/connection/provider.ts'
import type { Assent, AssentOptions, Elicitation, ElicitationId, ParticipantId } from '../../src/index.ts'
import {
  type FakeProvider,
  type FakeProviderOptions,
  type FixedClock,
  fakeKeyProvider,
  fakeProvider,
  fixedClock,
} from '../../src/testing/index.ts'
import { alice, anAsk } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'

export const hour = 3_600_000

/** Everything that a test of connections needs. */
export interface Place {
  readonly assent: Assent
  readonly clock: FixedClock
  readonly fake: FakeProvider
  readonly desk: ConnectionDesk
  readonly connections: Connections
  /** Asks alice to connect an account. */
  ask(scopes?: readonly string[], provider?: string): Promise<Elicitation>
  /** The audit events so far, with their data, except those of the questions themselves. */
  audited(): Promise<{ kind: string; about?: string; data: Record<string, unknown> }[]>
  /** The text of all audit events and stored records. */
  everythingKept(): Promise<string>
  kept(provider?: string): Promise<Connection | undefined>
  /** Stores a connection of alice with these fields, without asking anybody. */
  put(over?: Partial<Connection>, credential?: Credential): Promise<Connection>
}

interface PlaceOptions {
  readonly fake?: Partial<FakeProviderOptions>
  readonly providers?: readonly Provider[]
  readonly desk?: (desk: ConnectionDesk) => Partial<ConnectionDesk>
  readonly limits?: AssentOptions['limits']
}

/** An installation with the providers "notes" (by consent) and "stripe" (by key), where alice has no accounts yet. */
export async function aPlace({
  fake: more = {},
  providers,
  desk: over,
  limits = {},
}: PlaceOptions = {}): Promise<Place> {
  const clock = fixedClock()
  const assent = await anAssent({ clock, limits })
  const fake = fakeProvider({ clock, lifetimeMs: hour, account: 'alice@notes.example.com', ...more })
  const all = providers ?? [fake.provider, fakeKeyProvider()]
  const base: ConnectionDesk = {
    ...defaultConnectionTimes,
    store: assent.store.connections,
    providers: new Map(all.map((one) => [one.name, one])),
    vault: assent.vault,
    audit: assent,
    clock,
    questions: assent,
    redirectUri: 'https://assent.example.com/oauth/callback',
  }
  const desk = { ...base, ...over?.(base) }
  const lines = async () => {
    const all: string[] = []
    for await (const line of assent.exportAudit()) all.push(line)
    return all
  }

  return {
    assent,
    clock,
    fake,
    desk,
    connections: createConnections(desk),
    async ask(scopes = ['notes.read'], provider = 'notes') {
      const question = { mode: 'url', message: 'Connect', connect: { provider, scopes } } as const
      return (await assent.ask(anAsk({ question, purpose: 'connect' }))).elicitation
    },
    async audited() {
      const events = (await lines()).flatMap((line) => JSON.parse(line).event ?? [])
      const ours = events.filter(({ kind }) => /^(conn|disc)/.test(kind))
      return ours.map(({ kind, about, data }) => ({ kind, ...(about && { about }), data }))
    },
    async everythingKept() {
      return JSON.stringify([await lines(), await base.store.listAll(100)])
    },
    kept: (provider = 'notes') => base.store.get(alice, provider),
    async put(over = {}, credential = { kind: 'tokens', accessToken: 'old-access', refreshToken: 'old-refresh' }) {
      const named = { id: 'first', participant: alice, provider: 'notes', ...over }
      const at = clock.now()
      const connection: Connection = {
        version: 1,
        scopes: ['notes.read'],
        standing: 'good',
        sealed: await sealCredential(desk, named, credential),
        expiresAt: new Date(at.getTime() + hour),
        renewable: true,
        obtained: { at, by: 'consent' },
        connectedAt: at,
        ...named,
      }
      await base.store.put(connection)
      return connection
    },
  }
}

export const person = (participant: ParticipantId, groups: readonly string[] = []) => ({ participant, groups })

export const alicesBrowser = 'digest of the cookie of alice'

/** A request of alice, in her own browser, to connect "notes". */
export function alices(elicitation?: ElicitationId) {
  return {
    provider: 'notes',
    person: person(alice),
    browser: alicesBrowser,
    ...(elicitation !== undefined && { elicitation }),
  }
}

/** The address of the provider that the person is sent to. */
function urlOf(begun: ConnectBegun): string {
  if (begun.kind !== 'begun') throw new Error(`Nobody was sent anywhere: ${JSON.stringify(begun)}`)
  return begun.url
}

/** Alice begins to connect "notes". */
export async function setOut({ connections }: Place, elicitation?: ElicitationId): Promise<string> {
  return urlOf(await connections.begin(alices(elicitation)))
}

/** Alice returns in her own browser. */
export const back = (callback: URL) => ({ person: person(alice), browser: alicesBrowser, callback })

/** Does something right after a connection was stored, before the code that stored it continues. */
export function afterPut(more: () => Promise<unknown>): NonNullable<PlaceOptions['desk']> {
  return ({ store }) => ({
    store: {
      ...store,
      async put(connection) {
        await store.put(connection)
        await more()
      },
    },
  })
}
