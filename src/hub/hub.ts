import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { createEvents, type Events } from '../base/events.ts'
import { inBackground } from '../base/under-way.ts'
import type { Post } from '../instance/post.ts'
import { historyReply } from './history.ts'
import { whoIs } from './join/identify.ts'
import { makeTicket } from './join/ticket.ts'
import type { AssentForHub } from './needs.ts'
import { defaultHubLimits, defaultHubTimes, type HubLimits, type HubTimes, type SpaceOptions } from './options.ts'
import type { HubNews } from './space/desk.ts'
import { openSpace, type Seat, type Space } from './space/space.ts'
import { closeCodes, watchConnection } from './wire/connection.ts'

export interface HubOptions {
  readonly assent: AssentForHub
  readonly spaces: Readonly<Record<string, SpaceOptions>>
  readonly limits?: Partial<HubLimits>
  readonly times?: Partial<HubTimes>
  /** Origins of pages that may join from a browser. Default: none. */
  readonly origins?: readonly string[]
  /** This process among those that share its store. Left out: no other process serves these spaces. */
  readonly post?: Post
}

/** Spaces in which agents call each other's tools, with a person in between. */
export interface Hub {
  readonly events: Events<HubNews>
  /** Takes a connection to `/hub/{space}`. False: the address is another. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Answers `/hub/{space}/history` and `/hub/{space}/participants`. False: the address is another. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Makes a ticket that lets its holder join once. Undefined: there is no such participant. */
  ticket(space: string, participant: string): Promise<string | undefined>
  /** How each space stands. */
  status(): readonly SpaceStatus[]
  close(): Promise<void>
}

export interface SpaceStatus {
  readonly space: string
  readonly participants: number
  readonly here: readonly string[]
  readonly open: number
  readonly held: number
}

/** How much larger than an envelope a frame may be, so that most senders of large ones are told in words. */
const frameFactor = 8

/** Opens all spaces, and continues what was held when the hub was last stopped or killed. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { assent, origins = [], post } = options
  const limits: HubLimits = { ...defaultHubLimits, ...options.limits }
  const times: HubTimes = { ...defaultHubTimes, ...options.times }
  const events = createEvents<HubNews>()
  const spaces = new Map<string, Space>()
  post?.join()
  for (const [name, space] of Object.entries(options.spaces)) {
    spaces.set(name, await openSpace({ name, options: space, assent, limits, times, events, post }))
  }
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.envelopeBytes * frameFactor,
    clientTracking: true,
    skipUTF8Validation: false,
  })
  let isClosed = false

  /** Whoever may not enter is told in words: a browser shows no more of a refused connection than its close frame. */
  function seat(socket: WebSocket, request: IncomingMessage, space: Space, url: URL): void {
    let place: Seat | undefined
    const early: Buffer[] = []
    let earlyBytes = 0
    const connection = watchConnection(socket, {
      unreadBytes: limits.unreadBytes,
      heartbeatMs: times.heartbeat,
      onMessage(data) {
        if (place !== undefined) {
          place.receive(data)
          return
        }
        early.push(data)
        earlyBytes += data.length
        if (early.length <= mostEarly && earlyBytes <= limits.envelopeBytes) return
        connection.close(closeCodes.refused, 'You sent too much before the welcome. Wait for it.')
      },
      onClose: (words) => place?.left(words),
    })
    if (server.clients.size > limits.connections) {
      connection.close(closeCodes.later, `This hub takes ${limits.connections} connections. Try again later.`)
      return
    }
    const origin = request.headers.origin
    if (origin !== undefined && !origins.includes(origin)) {
      refuseAtDoor(space, 'bad-origin')
      connection.close(closeCodes.refused, 'Pages of this origin may not join.')
      return
    }
    const enter = async () => {
      const who = await whoIs(assent, space, request, url.searchParams.get('ticket'))
      if (who.kind === 'stranger') {
        refuseAtDoor(space, who.reason)
        connection.close(closeCodes.refused, who.words)
        return
      }
      if (!connection.isOpen) return
      place = space.join(who.member, connection, joiningFrom(url))
      for (const data of early.splice(0)) place.receive(data)
    }
    enter().catch((error) => {
      events.tell({ kind: 'hub-failed', space: space.name, error })
      connection.close(closeCodes.failed, 'You cannot join right now. Try again later.')
    })
  }

  function refuseAtDoor(space: Space, reason: string): void {
    events.tell({ kind: 'hub-refused', space: space.name, code: reason })
    if (!mayRecordStranger(reason)) return
    inBackground(assent.record({ kind: 'hub-join-refused', data: { space: space.name, reason } }))
  }

  const recorded = new Map<string, number>()
  /** Strangers must not fill the audit: once a minute for each reason. */
  function mayRecordStranger(reason: string): boolean {
    const now = assent.clock.now().getTime()
    if (now - (recorded.get(reason) ?? Number.NEGATIVE_INFINITY) < 60_000) return false
    recorded.set(reason, now)
    return true
  }

  return {
    events,
    upgrade(request, socket, head) {
      const url = urlOf(request)
      const name = spaceIn(url)
      const space = name === undefined ? undefined : spaces.get(name)
      if (space === undefined) return false
      if (isClosed) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
        return true
      }
      server.handleUpgrade(request, socket, head, (webSocket) => seat(webSocket, request, space, url))
      return true
    },
    handle(request, response) {
      const url = urlOf(request)
      const match = /^\/hub\/([\w.-]+)\/(history|participants)$/.exec(url.pathname)
      const space = match === null ? undefined : spaces.get(match[1] as string)
      if (match === null || space === undefined) return false
      inBackground(
        historyReply({ assent, space, limits, what: match[2] as 'history' | 'participants' }, request, url).then(
          ({ status, body }) => {
            response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
            response.end(body)
          },
        ),
      )
      return true
    },
    async ticket(name, participant) {
      const member = spaces.get(name)?.members.get(participant)
      if (member === undefined) return undefined
      await assent.record({ kind: 'hub-ticket-made', who: member.identity, data: { space: name, participant } })
      return makeTicket(assent, { space: name, participant }, times.ticket)
    },
    status: () =>
      [...spaces.values()].map((space) => ({
        space: space.name,
        participants: space.members.size,
        here: space.here(),
        ...space.waiting(),
      })),
    async close() {
      isClosed = true
      await Promise.all([...spaces.values()].map((space) => space.close()))
      for (const client of server.clients) client.close(closeCodes.goingAway)
      await new Promise((resolve) => server.close(resolve))
      for (const client of server.clients) client.terminate()
    },
  }
}

/** Messages that are taken before it is clear who sends them, together no larger than an envelope. */
const mostEarly = 200

function urlOf({ url = '/' }: IncomingMessage): URL {
  return new URL(url, 'http://hub')
}

/** Our own address, and the one that the draft of the protocol names. */
function spaceIn(url: URL): string | undefined {
  if (url.pathname === '/v0/ws') return url.searchParams.get('topic') ?? undefined
  return /^\/hub\/([\w.-]+)$/.exec(url.pathname)?.[1]
}

function joiningFrom({ searchParams }: URL) {
  const [from, id] = [searchParams.get('afterFrom'), searchParams.get('afterId')]
  return { acks: searchParams.get('acks') === '1', ...(from && id && { after: { from, id } }) }
}
