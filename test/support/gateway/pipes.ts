import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { Gateway } from '../../../src/gateway/index.ts'
import type { AskedClient, Connect, ConnectOptions } from '../asking/asking-clients.ts'
import { until } from '../server/servers.ts'

/** A client at the other end of a pipe: of all servers, or of the one named. */
export async function connectByPipe(
  gateway: Pick<Gateway, 'stdio'>,
  how: Connect,
  only?: string,
  options?: ConnectOptions,
): Promise<AskedClient> {
  const transport = pipeTo(gateway, only)
  const client = await how({ transport }, options)
  onTestFinished(() => client.close())
  return client
}

type Message = Record<string, unknown> & { id?: unknown; method?: string }

/** A client at the other end of a pipe that says exactly what it is told to. */
export interface RawPipe {
  /** Everything that came from the gateway. */
  readonly received: Message[]
  /** Sends messages in one go, as when they arrive in one chunk. */
  send(...messages: object[]): void
  /** The answer to a request, once it is there. */
  answerTo(id: string | number): Promise<Message>
  close(): Promise<void>
}

export async function rawPipe(gateway: Pick<Gateway, 'stdio'>, only?: string): Promise<RawPipe> {
  const transport = pipeTo(gateway, only)
  const received: Message[] = []
  transport.onmessage = (message) => void received.push(structuredClone(message) as never)
  await transport.start()
  onTestFinished(() => transport.close())
  const answer = (id: string | number) => received.find((one) => one.id === id && one.method === undefined)
  return {
    received,
    send(...messages) {
      for (const message of messages) void transport.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage)
    },
    async answerTo(id) {
      await until(() => answer(id) !== undefined)
      return answer(id) as Message
    },
    close: () => transport.close(),
  }
}

function pipeTo(gateway: Pick<Gateway, 'stdio'>, only?: string): InMemoryTransport {
  const [mine, theirs] = InMemoryTransport.createLinkedPair()
  const handle = gateway.stdio(only, theirs)
  onTestFinished(() => handle.close())
  return mine
}
