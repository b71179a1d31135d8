import { createServer, type Server } from 'node:http'
import type { Assent } from '../../assent.ts'
import { createWeb } from '../../web/index.ts'
import type { Config } from '../config/config.ts'
import { answerHealth } from '../serve/health.ts'
import { arrivalLimits } from '../serve/listen.ts'
import { webOptions } from '../serve/web-options.ts'

const retryMs = 2_000

/** What the page server reports. */
interface PageServerEvents {
  /** This process has the port from now on. */
  serving(): void
  failed(error: unknown): void
}

/**
 * Serves the pages. Processes that share a store share one port for them: while another process has it, this one tries
 * again every two seconds, and so takes over when the other one ends. Returns how to stop.
 */
export function servePages(assent: Assent, config: Config, { serving, failed }: PageServerEvents): () => Promise<void> {
  const { listen, auth } = config
  const web = createWeb(assent, { ...webOptions(config), onError: failed })
  const host = listen.host.replace(/^\[|\]$/g, '')
  let server: Server | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let hasLooked = false

  function attempt(): void {
    const made = createServer(arrivalLimits(config.clocks.body), (request, response) => {
      if (!answerHealth(request, response, auth !== undefined)) web.node(request, response)
    })
    server = made
    made.once('error', (error: NodeJS.ErrnoException) => {
      if (isStopped) return
      if (error.code !== 'EADDRINUSE') failed(error)
      else if (!hasLooked) lookWhoServes().catch(failed)
      timer = setTimeout(attempt, retryMs)
    })
    made.listen(listen.port, host, () => {
      if (isStopped) made.close()
      else serving()
    })
  }

  /** Another Assent on the port serves the same pages. Any other program there leaves people without pages. */
  async function lookWhoServes(): Promise<void> {
    hasLooked = true
    const address = `http://${listen.host}:${listen.port}`
    const isOurs = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(retryMs) })
      .then(async (reply) => ((await reply.json()) as { name?: unknown }).name === 'assent')
      .catch(() => false)
    if (!isOurs && !isStopped) {
      failed(new Error(`Another program uses ${address}, so no page can be opened. Choose another port with --port.`))
    }
  }

  attempt()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    web.close()
    if (server?.listening !== true) return
    await new Promise<void>((resolve) => server?.close(() => resolve()).closeAllConnections())
  }
}
