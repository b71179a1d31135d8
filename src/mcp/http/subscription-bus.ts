import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type AuthInfo,
  InMemoryServerEventBus,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'

/** A 2026 client that listens for changes, for as long as its stream is open. */
export interface ListeningClient {
  /** The parameters of its request. */
  readonly params: JsonObject
  readonly authInfo?: AuthInfo
  /** Reaches this client alone, if it asked to hear of such. */
  tell(event: ServerEvent): void
}

/** Told of each client that begins to listen; returns what to do when it stops. */
export type OnListen = (listening: ListeningClient) => () => void

/** A bus that knows whose each stream is. */
export interface ListeningBus extends ServerEventBus {
  /** Serves a request: streams that are opened meanwhile are its client's. */
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
