import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Assent, ParticipantId } from '../../../src/index.ts'
import { anAssent, testKeys } from '../assents.ts'
import { startAssent } from '../cli/cli.ts'
import { type OAuthServer, type OAuthServerOptions, oauthClient, startOAuthServer } from '../oauth/oauth-server.ts'
import { freshDatabase } from '../postgres.ts'
import { temporaryFolder } from '../temporary.ts'
import { pathIn, type TestBrowser, testBrowser } from '../test-browser.ts'

const minute = 60_000
/** How far the clock of each instance is from the true time. */
const skews = [-10 * minute, 0, 10 * minute] as const
const preload = new URL('../processes/skewed-date.js', import.meta.url).href

/** The address that people and clients know. A balancer would have it; here each test picks the instance itself. */
const publicUrl = 'http://127.0.0.1:4180'

/** An `assent gateway` whose machine has a wrong clock, or the right one. */
export interface Instance {
  readonly skewMs: number
  readonly origin: string
  readonly child: ChildProcess
  /** The environment of a program on the same machine. */
  readonly env: Record<string, string>
  /** What it has printed. */
  said(): string
}

/** Gateways on one store, behind one address, with one login. */
export interface Instances {
  readonly early: Instance
  readonly right: Instance
  readonly late: Instance
  readonly all: readonly Instance[]
  readonly oauth: OAuthServer
  /** The settings file that all of them read. */
  readonly file: string
  /** What they keep, seen from a process with the right clock. */
  readonly kept: Assent
  readonly ada: ParticipantId
  /** An access token of ada's client. */
  readonly token: string
  newToken(): Promise<string>
  /** The address of what they keep. */
  readonly store: string
  /** A browser in which ada signed in, at `begun` and back at `completed`. Paths must be whole addresses. */
  signedIn(begun: Instance, completed?: Instance): Promise<TestBrowser>
  browser(): TestBrowser
  mcp(instance: Instance): URL
}

export interface InstancesOptions {
  /** YAML besides store, login and the server `up`. */
  readonly settings?: string
  /** Settings of the server `up`, besides its url. */
  readonly server?: string
  readonly oauth?: OAuthServerOptions
  /** The address of an empty store. Default: a PostgreSQL. */
  readonly store?: string
}

/** Starts three, with clocks ten minutes early, right, and ten minutes late. Everything ends with the test. */
export async function threeInstances(
  upstream: URL,
  { settings = '', server = '', oauth: oauthOptions = {}, store: given }: InstancesOptions = {},
): Promise<Instances> {
  const store = given ?? (await freshPostgres())
  const oauth = await startOAuthServer(oauthOptions)
  const file = join(await temporaryFolder(), 'assent.yaml')
  const login = `{ issuer: "${oauth.issuer}", audience: "${publicUrl}/mcp", clientId: ${oauthClient.clientId}, clientSecret: ${oauthClient.clientSecret} }`
  const notes = `{ issuer: "${oauth.issuer}", clientId: ${oauthClient.clientId}, clientSecret: ${oauthClient.clientSecret}, scopes: [notes.read] }`
  await writeFile(
    file,
    [
      'version: 1',
      'listen: 127.0.0.1:0',
      `publicUrl: ${publicUrl}`,
      `store: "${store}"`,
      `auth: ${login}`,
      `providers: { notes: ${notes} }`,
      `servers: { up: { url: "${upstream}"${server} } }`,
      settings,
    ].join('\n'),
  )
  const all = await Promise.all(skews.map((skewMs) => startInstance(file, skewMs)))
  const [late, right, early] = all as [Instance, Instance, Instance]
  const kept = await anAssent({ store })
  const web = { fetch: (request: Request) => fetch(request, { redirect: 'manual' }) }
  const browser = () => testBrowser({ web } as never, publicUrl)
  const newToken = () => oauth.tokenFor('ada', { audience: `${publicUrl}/mcp` })
  return {
    early,
    right,
    late,
    all,
    oauth,
    file,
    kept,
    ada: `ada@${oauth.issuer}` as ParticipantId,
    token: await newToken(),
    newToken,
    store,
    browser,
    mcp: ({ origin }) => new URL(`${origin}/mcp/up`),
    async signedIn(begun, completed = begun) {
      const signing = browser()
      const sent = await signing.get(`${begun.origin}/login`)
      const back = await oauth.visit(sent.location ?? '', { account: 'ada' })
      const { status, text } = await signing.get(`${completed.origin}${pathIn(back.href)}`)
      if (status !== 303) throw new Error(`Signing in ended with ${status}: ${/<main.*?<\/main>/s.exec(text)?.[0]}`)
      return signing
    },
  }
}

async function freshPostgres(): Promise<string> {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  return url
}

async function startInstance(file: string, skewMs: number): Promise<Instance> {
  const env = { ASSENT_KEYS: testKeys, NODE_OPTIONS: `--import ${preload}`, ASSENT_TEST_SKEW: String(skewMs) }
  const { child, said } = await startAssent(['--config', file], /Ctrl-C/, { env })
  const [, origin = ''] = /health +(http:\S+)\/healthz/.exec(said()) ?? []
  return { skewMs, origin, child, env, said }
}
