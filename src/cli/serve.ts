import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import type { Assent } from '../assent.ts'
import { BadArgument } from '../base/errors.ts'
import { isLoopback } from '../elicitation/url.ts'
import { print } from './print.ts'
import { version } from './version.ts'

const host = '127.0.0.1'

/** `assent` and `assent gateway`: runs until it is told to stop. */
export function addServeCommand(program: Command): void {
  program
    .command('gateway', { isDefault: true })
    .description('run Assent on this machine (this is what plain `assent` does)')
    .option('--port <number>', 'port on 127.0.0.1', portNumber, 4180)
    .action(async ({ port }: { port: number }, command: Command) => {
      const { store } = command.optsWithGlobals<{ store: string }>()
      const { createAssent } = await import('../assent.ts')
      const assent = await createAssent({ store, publicUrl: `http://${host}:${port}` })
      const server = await listen(port, assent)
      greet((server.address() as AddressInfo).port, assent)
      await told('SIGINT', 'SIGTERM')
      print('Stopping.')
      await new Promise((resolve) => server.close(resolve).closeAllConnections())
      await assent.close()
    })
}

function greet(port: number, { store }: Assent): void {
  print(`Assent ${version}: a person's yes between an AI agent and the tools it calls.`)
  print(`  kept in   ${store.name}`)
  print(`  health    http://${host}:${port}/healthz`)
  print('The gateway is not in this version yet: what runs here is the part that asks, answers and remembers.')
  print('Ctrl-C stops it. Nothing that was asked or answered is lost.')
}

function listen(port: number, assent: Assent) {
  const server = createServer((request, response) => send(replyTo(request), response))
  return new Promise<typeof server>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is taken; choose another with --port' : 'cannot be used'
      assent.close().finally(() => reject(new BadArgument(`Port ${port} ${reason}.`, { cause: error })))
    })
    server.listen(port, host, () => resolve(server))
  })
}

interface Reply {
  readonly status: number
  readonly body: object
}

function replyTo({ url = '/', method, headers }: IncomingMessage): Reply {
  // A page elsewhere that points its own name at this machine is not one of ours.
  if (!isOurs(headers.host)) return { status: 403, body: { error: 'This host name is not served here.' } }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: { error: 'Only GET is served here.' } }
  if (/^\/healthz(\?|$)/.test(url)) return { status: 200, body: { status: 'ok', name: 'assent', version } }
  return { status: 404, body: { error: 'Nothing is here. Try /healthz.' } }
}

function send({ status, body }: Reply, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

function isOurs(header: string | undefined): boolean {
  return header !== undefined && URL.canParse(`http://${header}`) && isLoopback(new URL(`http://${header}`).hostname)
}

function told(...signals: NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve())
  })
}

function portNumber(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('A port is a number from 0 to 65535.')
}
