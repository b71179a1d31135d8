import { randomBytes } from 'node:crypto'
import type { RuleSettings } from '../../approval/policy/policy-settings.ts'
import type { Clock } from '../../base/clock.ts'
import { systemClock } from '../../base/clock.ts'
import type { ParticipantOptions } from '../../hub/options.ts'
import { localParticipant } from '../../participant/participant.ts'
import type { Config } from '../config/config.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { type Served, serveHere } from './listen.ts'
import type { LoginDesk } from './login-desk.ts'
import { agentsCommand, type DemoSpace, demoSpaceEnv, toolsCommand } from './space.ts'

const scope = 'notes.read'
const spaceName = 'demo'

/** The running demo, and the settings that include it. */
export interface Demo {
  readonly config: Config
  close(): Promise<void>
}

/** Starts a login, and an HTTP server that accepts only the tokens of that login. */
export async function startDemo(config: Config, clock: Clock = systemClock): Promise<Demo> {
  const [{ demoLogin }, { demoNotes }] = await Promise.all([import('./login-server.ts'), import('./notes-server.ts')])
  const redirectUri = config.callbackUrl ?? `${config.publicUrl}/oauth/callback`
  let desk: LoginDesk | undefined
  const login = await serveHere((issuer) => {
    const made = demoLogin(clock, issuer, { id: 'assent', redirectUri, scopes: [scope] })
    desk = made.desk
    return made.node
  })
  let stopNotes = async () => {}
  const notes = await serveHere((origin) => {
    const made = demoNotes(clock, { desk: desk as LoginDesk, issuer: login.origin, origin, scope })
    stopNotes = made.close
    return made.node
  })
  return {
    config: withDemo(config, login, notes),
    async close() {
      await stopNotes()
      await Promise.all([notes.close(), login.close()])
    },
  }
}

/** Adds the demo to the settings. What the file says is kept. */
function withDemo(config: Config, login: Served, notes: Served): Config {
  const { listen, hub } = config
  const host = listen.host === '0.0.0.0' || listen.host === '::' ? '127.0.0.1' : listen.host
  const space = {
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${listen.port}/hub/${spaceName}`,
    tokenA: randomBytes(24).toString('base64url'),
    tokenB: randomBytes(24).toString('base64url'),
  }
  const servers: ServerConfig[] = [
    {
      id: 'demo',
      name: 'demo',
      trusted: false,
      kind: 'process',
      command: process.execPath,
      args: [process.argv[1] as string, toolsCommand],
      env: {},
      cwd: process.cwd(),
    },
    {
      id: 'agents',
      name: 'agents',
      trusted: false,
      kind: 'process',
      command: process.execPath,
      args: [process.argv[1] as string, agentsCommand],
      env: demoSpaceEnv(space),
      cwd: process.cwd(),
    },
    {
      id: 'notes',
      name: 'notes',
      trusted: false,
      provider: 'demo-login',
      kind: 'http',
      url: `${notes.origin}/mcp`,
      headers: {},
    },
  ]
  return {
    ...config,
    servers: new Map(servers.map((server) => [server.id, server])),
    providers: {
      ...config.providers,
      'demo-login': { issuer: login.origin, clientId: 'assent', title: 'Demo login', scopes: [scope] },
    },
    hub: { ...hub, spaces: { ...hub.spaces, [spaceName]: { participants: participantsOf(space) } } },
    ...(config.written === undefined && { policy: { ...config.policy, rules } }),
  }
}

function participantsOf({ tokenA, tokenB }: DemoSpace): Readonly<Record<string, ParticipantOptions>> {
  return {
    'user-1': { kind: 'human', participant: localParticipant },
    'agent-a': { kind: 'agent', token: tokenA, for: 'user-1', may: [{ method: 'tools/call', to: 'agent-b' }] },
    'agent-b': { kind: 'agent', token: tokenB },
  }
}

const rules: readonly RuleSettings[] = [
  { server: 'demo', tool: 'delete_note', decide: 'ask', editable: ['name'], answer: 'page' },
  { server: ['demo', 'agents'], tool: '*', decide: 'allow' },
  { server: `${spaceName}/agent-b`, tool: 'deploy', decide: 'ask', editable: ['target'] },
  { server: 'notes', tool: '*', decide: 'allow' },
]
