import type { IncomingMessage } from 'node:http'
import type { AuthInfo } from '@modelcontextprotocol/server'
import type { Clock } from '../../base/clock.ts'
import { parseJson } from '../../base/json.ts'
import type { Budget, Lease } from '../../base/limits/budget.ts'
import { CollectedBytes } from '../../base/limits/collect-bytes.ts'
import { hasMoreValues, memoryOf } from '../../base/limits/json-values.ts'
import { localOwner } from './session/session-pool.ts'

/** An HTTP request. Its token is kept apart, so that nothing that handles the request can log or forward it (O-02). */
export interface IncomingRequest {
  readonly request: Request
  readonly authorization: string | null
  /** Reads the body on demand, for its sender. */
  readBody(owner: string): Promise<Body>
  /** Called when it is known who sent the request. */
  identified?(owner: string): void
  /** What the fast path has found out already. */
  readonly prefetched?: Prefetched
}

/** A body that the program around this endpoint has read and parsed already. */
export function parsedBody(
  { value, length }: NonNullable<Prefetched['parsed']>,
  owner: string,
  { requests }: BodyLimits,
): Body {
  const lease = requests.lease(owner, leastMemory)
  if (lease === undefined) return { kind: 'no-room' }
  const memory = length <= shortText ? leastMemory : memoryOf(value, length)
  if (lease.growTo(memory)) return { kind: 'json', value, memory, lease }
  lease.release()
  return { kind: 'no-room' }
}

/** What is known of a POST that the fast path did not answer. */
export interface Prefetched {
  /** Left out: the endpoint finds out by itself. */
  readonly authInfo?: AuthInfo | Response | undefined
  /** Left out: it is read on demand. */
  readonly body?: Body
  /** The body, as the program around this endpoint has read and parsed it. */
  readonly parsed?: { readonly value: unknown; readonly length: number }
  /** What the fast path started, for the SDK server's handler. */
  readonly handover?: object | undefined
}

/** A body that was read and parsed, with the memory that it takes, or why it was not. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown; readonly memory: number; readonly lease: Lease }
  | { readonly kind: BodyFault }

export type BodyFault = 'too-large' | 'too-late' | 'too-many-values' | 'no-room' | 'not-json' | 'unread'

export interface BodyLimits {
  readonly bodyBytes: number
  readonly bodyValues: number
  /** How long a body may take to arrive, in milliseconds. */
  readonly bodyMs: number
  readonly requests: Budget
  readonly clock: Clock
}

/** A session, and what is in flight, belongs to a participant and a client (S-08). */
export function ownerOf(authInfo: AuthInfo | undefined): string {
  return authInfo === undefined ? localOwner : JSON.stringify([authInfo.extra?.participant, authInfo.clientId])
}

const leases = new WeakMap<Request, Lease>()

/** Remembers which memory the body of a request takes, for whoever keeps the body for longer than the request. */
export function rememberLease(request: Request, lease: Lease): void {
  leases.set(request, lease)
}

export function leaseOf(request: Request | undefined): Lease | undefined {
  return request === undefined ? undefined : leases.get(request)
}

const handovers = new WeakMap<Request, object>()

/** Remembers what the fast path started, for as long as the request is served. */
export function rememberHandover(request: Request, handover: object): void {
  handovers.set(request, handover)
}

/** What the fast path started for this request. Returned once. */
export function takeHandover(request: Request | undefined): object | undefined {
  if (request === undefined) return undefined
  const handover = handovers.get(request)
  handovers.delete(request)
  return handover
}

export function incomingFrom(request: Request, limits: BodyLimits): IncomingRequest {
  const authorization = request.headers.get('authorization')
  return {
    request: authorization === null ? request : withoutToken(request),
    authorization,
    readBody: (owner) => bodyOfRequest(request, owner, limits),
  }
}

function withoutToken({ url, method, headers: sent, signal }: Request): Request {
  const headers = new Headers(sent)
  headers.delete('authorization')
  return new Request(url, { method, headers, signal })
}

/** The memory that every request is taken to need while it is served. */
const leastMemory = 32_768
/** A text this short needs no more than that. */
const shortText = 1_024

/** Called once: with the body, or with the error of a connection that broke. */
export type BodyRead = (body: Body | undefined, error?: Error) => void

/** Reads from Node's stream: reading through a web Request would cost nearly as much as the rest of the call. */
export function bodyOfMessage(message: IncomingMessage, owner: string, limits: BodyLimits): Promise<Body> {
  return new Promise((resolve, reject) => {
    readMessageBody(message, owner, limits, (body, error) => (body === undefined ? reject(error) : resolve(body)))
  })
}

/** The same without a promise. */
export function readMessageBody(message: IncomingMessage, owner: string, limits: BodyLimits, done: BodyRead) {
  if (Number(message.headers['content-length']) > limits.bodyBytes) return done({ kind: 'too-large' })
  const lease = limits.requests.lease(owner, leastMemory)
  if (lease === undefined) return done({ kind: 'no-room' })
  let collected: CollectedBody | undefined = new CollectedBody(lease, limits.bodyBytes)

  // Not `for await`: leaving such a loop destroys the socket, and the refusal could not be sent.
  message.on('data', (chunk: Buffer) => {
    const fault = collected?.add(chunk)
    if (fault !== undefined) stop(fault)
  })
  message.on('end', () => over((read) => parsed(read.text, lease, limits.bodyValues)))
  message.on('error', (error) => over(() => undefined, error))
  const callOff = limits.clock.after(limits.bodyMs, () => stop('too-late'))

  function stop(kind: BodyFault): void {
    message.pause()
    over(() => ({ kind }))
  }

  function over(bodyOf: (read: CollectedBody) => Body | undefined, error?: Error): void {
    const read = collected
    if (read === undefined) return
    // The listeners stay, and a request that is held for a person must not hold its body by them.
    collected = undefined
    callOff()
    const body = bodyOf(read)
    if (body?.kind !== 'json') lease?.release()
    done(body, error)
  }
}

function bodyOfRequest({ headers, body }: Request, owner: string, limits: BodyLimits): Promise<Body> {
  const length = Number(headers.get('content-length'))
  return readBody(length, owner, limits, async (collected) => {
    const reader = body?.getReader()
    let isLate = false
    const callOff = limits.clock.after(limits.bodyMs, () => {
      isLate = true
      reader?.cancel().catch(() => {})
    })
    try {
      for (;;) {
        const { value } = (await reader?.read()) ?? {}
        if (isLate) return 'too-late'
        if (value === undefined) return undefined
        const fault = collected.add(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
        if (fault === undefined) continue
        await reader?.cancel()
        return fault
      }
    } finally {
      callOff()
    }
  })
}

/** `collect` resolves when the body has arrived, or with what is wrong with it. */
async function readBody(
  length: number,
  owner: string,
  limits: BodyLimits,
  collect: (collected: CollectedBody) => Promise<BodyFault | undefined>,
): Promise<Body> {
  if (length > limits.bodyBytes) return { kind: 'too-large' }
  const lease = limits.requests.lease(owner, leastMemory)
  if (lease === undefined) return { kind: 'no-room' }
  let body: Body | undefined
  try {
    const collected = new CollectedBody(lease, limits.bodyBytes)
    const fault = await collect(collected)
    body = fault === undefined ? parsed(collected.text, lease, limits.bodyValues) : { kind: fault }
    return body
  } finally {
    if (body?.kind !== 'json') lease.release()
  }
}

/** What has arrived of a body. */
class CollectedBody {
  readonly #lease: Lease
  readonly #limit: number
  /** The only chunk of most bodies. */
  #chunk: Buffer | undefined
  #chunks: CollectedBytes | undefined
  #length = 0

  constructor(lease: Lease, limit: number) {
    this.#lease = lease
    this.#limit = limit
  }

  add(chunk: Buffer): BodyFault | undefined {
    this.#length += chunk.length
    if (this.#length > this.#limit) return 'too-large'
    if (!this.#lease.growTo(this.#length)) return 'no-room'
    if (this.#chunks !== undefined) this.#chunks.add(chunk)
    else if (this.#chunk === undefined) this.#chunk = chunk
    else {
      this.#chunks = new CollectedBytes(this.#chunk)
      this.#chunks.add(chunk)
    }
    return undefined
  }

  get text(): string {
    return this.#chunks?.text ?? this.#chunk?.toString() ?? ''
  }
}

function parsed(text: string, lease: Lease, mostValues: number): Body {
  if (text.length > mostValues && hasMoreValues(text, mostValues)) return { kind: 'too-many-values' }
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return { kind: 'not-json' }
  }
  const memory = text.length <= shortText ? leastMemory : memoryOf(value, text.length)
  return lease.growTo(memory) ? { kind: 'json', value, memory, lease } : { kind: 'no-room' }
}
