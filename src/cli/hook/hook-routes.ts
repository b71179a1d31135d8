import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressList } from '../../base/request-source.ts'
import { answerHook, type HookDesk } from '../../hooks/answer-hook.ts'
import { type HookClient, hookClients, writeAnswer } from '../../hooks/contracts.ts'
import { type HookCall, readHookCall } from '../../hooks/hook-call.ts'
import { localParticipant, type ParticipantId } from '../../participant/participant.ts'
import type { Config } from '../config/config.ts'
import { isForwarded, isFromThisMachine, sendReply } from '../serve/reply.ts'
import { makeHookToken } from './hook-token.ts'
import { answerProof, isSameSecret, nonceHeader, proofHeader, requestProof, signedScheme } from './signed-hook.ts'

/** The path of the hooks, with a place for the client's name. */
export const hookPath = '/hooks/{client}'

/** Answers `POST /hooks/{client}`. */
export interface HookRoutes {
  /** False: the path is another's. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends the waiting of calls that are held. */
  close(): void
}

interface Door {
  readonly token: string
  readonly participant: ParticipantId
}

/** The routes for the hooks of coding agents. Their token opens nothing else, and nothing here answers a question. */
export async function hookRoutes(
  desk: HookDesk,
  config: Config,
  onError: (error: unknown) => void,
): Promise<HookRoutes> {
  const { hooks, store, limits } = config
  const participant = config.auth === undefined ? localParticipant : hooks.participant
  const token = participant && (await makeHookToken({ token: hooks.token, store }))
  const door = participant !== undefined && token !== undefined ? { participant, token } : undefined
  const others = addressList(hooks.allow)
  const closing = new AbortController()

  async function take(client: HookClient, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isNear = isFromThisMachine(request)
    const isListed = !isForwarded(request) && others.includes(request.socket.remoteAddress ?? '')
    if (!isNear && !isListed) return refuse(request, response, 403, 'Hooks are answered for this machine only.')
    if (door === undefined) return refuse(request, response, 404, closedDoor(config))
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const text = await bodyOf(request, limits.bodyBytes)
    if (text === undefined) return refuse(request, response, 413, 'This is too large.')
    const nonce = senderOf(request, door, text)
    if (nonce === undefined) return refuse(request, response, 401, 'Send the token of hooks as a bearer token.')

    const hook = readOr(client, text)
    const signal = AbortSignal.any([gone.signal, closing.signal])
    const hooked = { participant: door.participant, holdMs: hooks.hold, signal, onError }
    // A refused status would leave the call to the client's own settings, which may run it unasked.
    const answer = 'unread' in hook ? hook.unread : await answerHook(desk, hook, hooked)
    const body = JSON.stringify(answer)
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    response.writeHead(200, {
      ...headers,
      ...(nonce !== '' && { [proofHeader]: answerProof(door.token, nonce, body) }),
    })
    response.end(body)
  }

  return {
    handle(request, response) {
      const [path = ''] = (request.url ?? '/').split('?', 1)
      if (!path.startsWith('/hooks/')) return false
      const client = hookClients.find((one) => path === hookPath.replace('{client}', one))
      if (client === undefined) refuse(request, response, 404, `Hooks are answered for ${hookClients.join(' and ')}.`)
      else if (request.method !== 'POST') refuse(request, response, 405, 'Only POST is served here.')
      else {
        take(client, request, response).catch((error) => {
          onError(error)
          if (!response.headersSent) refuse(request, response, 500, 'This failed.')
        })
      }
      return true
    },
    close: () => closing.abort(),
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, error: string): void {
  sendReply({ status, body: { error } }, request, response)
}

function closedDoor({ auth, hooks }: Config): string {
  if (auth !== undefined && hooks.participant === undefined) {
    return 'With a login, hooks.participant must say for whom coding agents work.'
  }
  return 'This store keeps no token; write hooks.token.'
}

/** The nonce that the answer is signed with, empty for a plain bearer token. Undefined: the sender has no token. */
function senderOf({ headers }: IncomingMessage, { token }: Door, body: string): string | undefined {
  const [, scheme, given] = /^(\S+) (\S+)$/.exec(headers.authorization ?? '') ?? []
  if (given === undefined) return undefined
  if (scheme?.toLowerCase() === 'bearer') return isSameSecret(given, token) ? '' : undefined
  const nonce = headers[nonceHeader]
  if (scheme !== signedScheme || typeof nonce !== 'string' || nonce === '') return undefined
  return isSameSecret(given, requestProof(token, nonce, body)) ? nonce : undefined
}

function readOr(client: HookClient, text: string): HookCall | { readonly unread: object } {
  try {
    return readHookCall(client, text)
  } catch (error) {
    const reason = `Assent could not read what this hook was given, so nothing may run. ${(error as Error).message}`
    return { unread: writeAnswer({ client, event: 'PreToolUse' }, { kind: 'deny', reason }) }
  }
}

/** Undefined: it is too large. */
async function bodyOf(request: IncomingMessage, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
