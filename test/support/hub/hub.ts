import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JoinedSpace, joinSpace } from 'assent/hub'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type Assent, createAssent } from '../../../src/assent.ts'
import type { AssentOptions } from '../../../src/assent-options.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { createHub, type Hub, type HubOptions } from '../../../src/hub/hub.ts'
import type { ParticipantOptions } from '../../../src/hub/options.ts'
import { createPost } from '../../../src/instance/post.ts'
import { localParticipant } from '../../../src/participant/participant.ts'
import { testKeys } from '../assents.ts'

/** A hub on a port of its own. */
export interface TestHub {
  readonly hub: Hub
  readonly assent: Assent
  readonly server: Server
  readonly url: string
  /** Stops it as a signal does. */
  stop(): Promise<void>
  join(id: string): Promise<JoinedSpace>
  /** A participant that speaks the wire by itself. */
  raw(id: string, more?: { token?: string; query?: string }): Promise<RawParticipant>
}

/** The space of the seed: two agents, and a person. */
const seedParticipants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'token-of-user-1', participant: localParticipant },
  'agent-a': { kind: 'agent', token: 'token-of-agent-a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'token-of-agent-b', may: ['*'], asks: 'itself' },
}

interface HubSettings extends Partial<Omit<HubOptions, 'assent' | 'spaces'>> {
  readonly participants?: Record<string, ParticipantOptions>
  readonly assent?: AssentOptions
  /** Other instances share its store. */
  readonly isShared?: boolean
}

/** Starts a hub with the space `ops`, in memory, and stops it when the test is over. */
export async function startHub(settings: HubSettings = {}): Promise<TestHub> {
  const { participants = seedParticipants, assent: given, isShared = false, ...options } = settings
  const assent = await createAssent({ store: 'memory:', policy: { default: 'ask', fallback: 'inbox' }, ...given })
  const errors: unknown[] = []
  const { store, vault, clock } = assent
  const post = isShared ? createPost({ store, vault, clock, onError: (error) => errors.push(error) }) : undefined
  const hub = await createHub({ assent, spaces: { ops: { participants } }, ...(post && { post }), ...options })
  const server = createServer((request, response) => {
    if (!hub.handle(request, response)) response.writeHead(404).end()
  })
  server.on('upgrade', (request, socket, head) => {
    if (!hub.upgrade(request, socket, head)) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/hub/ops`
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    await hub.close()
    await post?.leave()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await assent.close()
    if (errors.length > 0) throw errors[0]
  }
  const stopOnce = () => {
    stopped ??= stop()
    return stopped
  }
  onTestFinished(stopOnce)
  return {
    hub,
    assent,
    server,
    url,
    stop: stopOnce,
    async join(id) {
      const space = await joinSpace({ url, token: participants[id]?.token ?? '' })
      onTestFinished(() => space.close())
      return space
    },
    raw: (id, { token = participants[id]?.token, query = '' } = {}) => joinRaw(`${url}${query}`, token),
  }
}

/** Starts hubs that share a store, each as a process would be. */
export async function startInstances(store: string, count: number, settings: HubSettings = {}): Promise<TestHub[]> {
  const instances: TestHub[] = []
  for (let n = 0; n < count; n += 1) {
    const assent = { policy: { default: 'ask', fallback: 'inbox' } as const, ...settings.assent, store, keys: testKeys }
    instances.push(await startHub({ ...settings, assent, isShared: true }))
  }
  return instances
}

/** An envelope as it was heard. */
export interface Heard {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what others wrote.
  readonly [key: string]: any
}

export interface RawParticipant {
  readonly socket: WebSocket
  readonly heard: Heard[]
  send(envelope: object | string): void
  /** The first envelope that fits, of those that came and those to come. Rejects if the connection ends before. */
  hears(fits: (envelope: Heard) => boolean): Promise<Heard>
  /** The code and the words with which the connection ended. */
  readonly closed: Promise<{ code: number; words: string }>
}

/** Opens a WebSocket, and keeps everything that it hears. */
async function joinRaw(url: string, token?: string, headers: JsonObject = {}): Promise<RawParticipant> {
  const auth = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const socket = new WebSocket(url, { headers: { ...auth, ...headers } as never })
  onTestFinished(() => socket.terminate())
  const heard: Heard[] = []
  const waiting = new Set<() => void>()
  socket.on('error', () => {})
  socket.on('message', (data) => {
    heard.push(JSON.parse(String(data)))
    for (const look of waiting) look()
  })
  let ended: Error | undefined
  const closed = new Promise<{ code: number; words: string }>((resolve) =>
    socket.on('close', (code, words) => {
      ended = new Error(`What was waited for never came: the connection ended with ${code} ${words}`)
      for (const look of waiting) look()
      resolve({ code, words: String(words) })
    }),
  )
  await new Promise<void>((resolve) => {
    socket.on('open', resolve)
    socket.on('close', () => resolve())
  })
  return {
    socket,
    heard,
    closed,
    send: (envelope) => socket.send(typeof envelope === 'string' ? envelope : JSON.stringify(envelope)),
    hears(fits) {
      const hearing = new Promise<Heard>((resolve, reject) => {
        const look = () => {
          const found = heard.find(fits)
          if (found === undefined && ended === undefined) return
          waiting.delete(look)
          if (found === undefined) reject(ended)
          else resolve(found)
        }
        waiting.add(look)
        look()
      })
      // A test that is over waits no more.
      hearing.catch(() => {})
      return hearing
    },
  }
}

let count = 0

/** An envelope with a name of its own. */
export function envelope(
  from: string,
  to: readonly string[],
  payload: object,
  more: object = {},
): Record<string, unknown> {
  count += 1
  return {
    protocol: 'mcp-x/v0',
    id: `test-${count}`,
    ts: new Date(0).toISOString(),
    from,
    to,
    kind: 'mcp',
    payload,
    ...more,
  }
}

export const request = (id: string | number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
