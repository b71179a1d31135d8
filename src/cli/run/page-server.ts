import { createServer, type Server } from 'node:http'
import type { Assent } from '../../assent.ts'
import { createWeb } from '../../web/index.ts'
import type { Config } from '../config/config.ts'
import { answerHealth } from '../serve/health.ts'

const tryAgainMs = 2_000

/**
 * Serves the pages, or waits until whoever serves them goes: several programs that share a store share one page server.
 * Returns how to stop.
 */
export function servePages(
  assent: Assent,
  { listen, auth }: Config,
  failed: (error: unknown) => void,
): () => Promise<void> {
  const web = createWeb(assent, {
    ...(auth?.proxy !== undefined && { proxy: { ...auth.proxy, issuer: auth.issuer } }),
    onError: failed,
  })
  const host = listen.host.replace(/^\[|\]$/g, '')
  let server: Server | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let hasLooked = false

  function attempt(): void {
    const made = createServer((request, response) => {
      if (!answerHealth(request, response, auth !== undefined)) web.node(request, response)
    })
    server = made
    made.once('error', (error: NodeJS.ErrnoException) => {
      if (isStopped) return
      if (error.code !== 'EADDRINUSE') failed(error)
      else if (!hasLooked) void lookWhoServes()
      timer = setTimeout(attempt, tryAgainMs)
    })
    made.listen(listen.port, host, () => {
      if (isStopped) made.close()
    })
  }

  /** One of us serves them, and all is well; or somebody else has the port, and people would wait for pages in vain. */
  async function lookWhoServes(): Promise<void> {
    hasLooked = true
    const address = `http://${listen.host}:${listen.port}`
    const isOurs = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(tryAgainMs) })
      .then(async (reply) => ((await reply.json()) as { name?: unknown }).name === 'assent')
      .catch(() => false)
    if (!isOurs && !isStopped) {
      failed(
        new Error(`Another program has ${address}: no page can be opened while it does. Choose another with --port.`),
      )
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
