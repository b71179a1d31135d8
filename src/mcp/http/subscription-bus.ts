import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type AuthInfo,
  InMemoryServerEventBus,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'

/** A 2026 client that subscribed to changes, for as long as its stream is open. */
export interface ListeningClient {
  /** The parameters of its request. */
  readonly params: JsonObject
  readonly authInfo?: AuthInfo
  /** Sends an event to this client only, if it subscribed to such events. */
  tell(event: ServerEvent): void
}

/** Called for each client that subscribes. Returns what to call when it stops. */
export type OnListen = (listening: ListeningClient) => () => void

/** An event bus that knows which client each stream belongs to. */
export interface ListeningBus extends ServerEventBus {
  /** Serves a request. Streams that are opened during it belong to its client. */
  during<T>(body: unknown, authInfo: AuthInfo | undefined, serve: () => T): T
}

export function listeningBus(onListen: OnListen, onError: (error: unknown) => void): ListeningBus {
  const everybody = new InMemoryServerEventBus(onError)
  const served = new AsyncLocalStorage<Omit<ListeningClient, 'tell'>>()
  return {
    publish: (event) => everybody.publish(event),
    subscribe(listener) {
      const stop = everybody.subscribe(listener)
      const whose = served.getStore()
      const stopped = whose === undefined ? undefined : onListen({ ...whose, tell: listener })
      return () => {
        stop()
        stopped?.()
      }
    },
    during(body, authInfo, serve) {
      const { method, params } = isPlainObject(body) ? body : {}
      if (method !== 'subscriptions/listen' || !isPlainObject(params)) return serve()
      return served.run({ params: params as JsonObject, ...(authInfo !== undefined && { authInfo }) }, serve)
    },
  }
}
