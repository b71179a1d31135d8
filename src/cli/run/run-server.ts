import type { Command } from 'commander'
import { createAssent } from '../../assent.ts'
import type { Config } from '../config/config.ts'
import { serverIds } from '../config/read/server-ids.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import type { Given } from '../config/read.ts'
import { adoptedNotes } from '../config/start-warnings.ts'
import { complain } from '../print.ts'
import { serveDespiteRejections } from '../rejections.ts'
import { gatewayFrom } from '../serve/gateway-from-config.ts'
import { reloadingPolicy } from '../serve/reload-policy.ts'
import { version } from '../version.ts'
import { configOf, optionsFrom } from '../with-assent.ts'
import { servePages } from './page-server.ts'
import { serverNameIn } from './server-name.ts'
import { inStateFolder } from './state-folder.ts'

export interface RunOptions {
  readonly name?: string
  readonly trusted?: boolean
  readonly port?: number
}

/** Runs until the client disconnects. Standard output is for MCP only; messages go to standard error. */
export async function runServer(
  words: readonly [string, ...string[]],
  { name, trusted = false }: RunOptions,
  command: Command,
): Promise<void> {
  const going = gone()
  const wanted = name ?? serverNameIn(words)
  const id = serverIds([wanted]).get(wanted) as string
  const asked = await configOf(command)
  const own = serverFrom(id, words, trusted)
  const config = { ...inStateFolder(asked, command.optsWithGlobals<Given>()), servers: new Map([[id, own]]) }
  const assent = await createAssent(await optionsFrom(config))
  try {
    serveDespiteRejections(failed)
    const gateway = await gatewayFrom(assent, config, failed)
    const serving = () => complain(`This process serves the pages now, at ${config.publicUrl}.`)
    const stopPages = servePages(assent, config, { serving, failed })
    const handle = gateway.stdio(id)
    gateway.start()
    introduce(id, config)
    for (const words of adoptedNotes(config)) complain(words)
    const problem = assent.clockProblem()
    if (problem !== undefined) complain(problem)
    // Standard output is for MCP only, and SIGHUP ends this process.
    const reloading = { say: complain, onHangUp: false }
    const stopReloading = reloadingPolicy(assent, asked, command.optsWithGlobals<Given>(), reloading)
    await going
    await handle.close().catch(failed)
    await Promise.all([stopPages(), gateway.close(), stopReloading()])
  } finally {
    await assent.close()
  }
  // Otherwise a pipe that the client left open would keep this process alive.
  process.stdin.destroy()
}

/** Prints what somebody needs who reads the client's log. An agent may read it too, so no enrolment link is printed. */
function introduce(id: string, { written, store, publicUrl, auth }: Config): void {
  complain(`Assent ${version} stands in front of ${id}. Settings: ${written?.file ?? 'defaults'}. Store: ${store}`)
  if (auth !== undefined || store.startsWith('memory:')) return
  const settings = written === undefined ? `--store ${store}` : `--config ${written.file}`
  complain(
    `Questions wait at ${publicUrl}/inbox. To enrol a browser: assent open ${settings} --port ${portOf(publicUrl)}`,
  )
}

const portOf = (url: string) => new URL(url).port || (url.startsWith('https:') ? '443' : '80')

/** The server gets the variables of this process: a client sets them here, from the `env` of its config file. */
function serverFrom(id: string, [program, ...args]: readonly [string, ...string[]], trusted: boolean): ServerConfig {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
  return { id, name: id, trusted, kind: 'process', command: program, args, env, cwd: process.cwd() }
}

function failed(error: unknown): void {
  complain(error instanceof Error ? error.message : String(error))
}

function gone(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    // A client that has closed its end of the pipe is gone too.
    process.stdout.on('error', () => resolve())
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
