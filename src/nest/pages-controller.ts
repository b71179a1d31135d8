import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { All, Controller, Inject, Req, Res, type Type, UseGuards } from '@nestjs/common'
import type { RouteOptions } from './options.ts'
import type { Runtime } from './runtime.ts'
import { personFrom } from './sender.ts'

/** A request as Express or Fastify gives it: the former is Node's own, the latter holds it. */
interface HostRequest extends IncomingMessage {
  readonly raw?: IncomingMessage
  readonly originalUrl?: string
  readonly body?: unknown
}

interface HostReply extends ServerResponse {
  readonly raw?: ServerResponse
  hijack?(): void
}

/** What the module provides: its pages are found when a request comes. */
interface HasRuntime {
  readonly runtime: Runtime
}

const personalPages = ['inbox', 'grants', 'connections', 'browsers', 'audit', 'enroll', 'login', 'logout']

/** The controller of the pages: a class per module, as its routes and guards are those of the module. */
export function pagesController(
  { apiPrefix = 'elicit', guards = [], inbox = true }: RouteOptions,
  module: Type<HasRuntime>,
): Type<unknown> {
  class AssentPagesController {
    readonly #elicitation: HasRuntime

    constructor(elicitation: HasRuntime) {
      this.#elicitation = elicitation
    }

    serve(request: HostRequest, reply: HostReply): Promise<void> {
      return servePage(this.#elicitation.runtime, request, reply)
    }
  }
  const first = [apiPrefix, 'oauth', 'enroll', 'login', 'logout', ...(inbox ? personalPages : [])]
  const paths = [...new Set(first)].flatMap((path) => [path, `${path}/:one`, `${path}/:one/:two`])
  const { prototype } = AssentPagesController
  const serve = Object.getOwnPropertyDescriptor(prototype, 'serve') as TypedPropertyDescriptor<unknown>
  Inject(module)(AssentPagesController, undefined, 0)
  Req()(prototype, 'serve', 0)
  Res()(prototype, 'serve', 1)
  All(paths)(prototype, 'serve', serve)
  if (guards.length > 0) UseGuards(...guards)(AssentPagesController)
  Controller()(AssentPagesController)
  return AssentPagesController
}

async function servePage({ web, people }: Runtime, request: HostRequest, reply: HostReply): Promise<void> {
  const incoming = request.raw ?? request
  const outgoing = reply.raw ?? reply
  // Fastify must not answer as well.
  reply.hijack?.()
  const user = people.userOf(request)
  const person = user && personFrom(people, user)
  const response = await web.fetch(webRequest(request, incoming), { incoming, ...(person && { person }) })
  await write(response, outgoing)
}

/** The request for the pages. Its body was mostly read by the parsers of the application, and is written again. */
function webRequest(request: HostRequest, incoming: IncomingMessage): Request {
  const { method = 'GET', headers: sent } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(sent)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  const url = `http://${sent.host ?? 'localhost'}${request.originalUrl ?? incoming.url ?? '/'}`
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  const { body } = request
  if (body === undefined || body === null) {
    return new Request(url, { method, headers, body: Readable.toWeb(incoming) as never, duplex: 'half' } as RequestInit)
  }
  headers.delete('content-length')
  return new Request(url, { method, headers, body: asForm(body) })
}

/** Nested names are written as they came: `a[b]`. */
function asForm(body: unknown): URLSearchParams {
  const form = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) add(name, one)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) add(name === '' ? key : `${name}[${key}]`, one)
    } else if (name !== '') form.append(name, String(value))
  }
  add('', body)
  return form
}

async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
  const cookies = response.headers.getSetCookie()
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(headers),
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  })
  if (response.body === null) {
    outgoing.end()
    return
  }
  // A reader that leaves a live page is no error.
  await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => {})
}
