import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { noticeFor } from './errors.ts'
import { guardEntrance } from './http/entrance.ts'
import { secureHeaders } from './http/headers.ts'
import type { AssentForWeb } from './needs.ts'
import type { WebOptions } from './options.ts'
import { notice } from './render.ts'
import { auditRoutes } from './routes/audit.ts'
import { browsersRoutes } from './routes/browsers.ts'
import { channelsRoutes } from './routes/channels.ts'
import { connectRoutes } from './routes/connect.ts'
import { connectionsRoutes } from './routes/connections.ts'
import { consoleRoutes } from './routes/console/console.ts'
import { toolsRoutes } from './routes/console/tools.ts'
import { enrollRoutes } from './routes/enroll.ts'
import { grantsRoutes } from './routes/grants.ts'
import { inboxRoutes } from './routes/inbox.ts'
import { loginRoutes } from './routes/login.ts'
import { passkeysRoutes } from './routes/passkeys.ts'
import { noSuchApi, programsRoutes } from './routes/programs.ts'
import { pushRoutes } from './routes/push.ts'
import { questionRoutes } from './routes/question.ts'
import { severalRoutes } from './routes/several.ts'
import { statusRoutes } from './routes/status.ts'
import { type Site, siteFrom, type WebEnv } from './site.ts'
import { enrollLink } from './viewer/enroll.ts'

/** The pages of one `Assent`. */
export interface Web {
  /** Serves one request. It cannot check the socket without `env.incoming`: then listen on loopback, or use a login. */
  fetch(request: Request, env?: WebEnv['Bindings']): Promise<Response>
  /** For `http.createServer`. Without a login it refuses connections from other machines. */
  readonly node: RequestListener
  /** A link that enrolls one browser for the local person, once; `next` is the path of a page to open then. */
  enrollLink(next?: string): Promise<string>
  /** Ends the streams of live inboxes, so that a server can close, and records what was counted. */
  close(): void
}

/** Serves the pages on which people answer questions, connect accounts and see what they allowed. */
export function createWeb(assent: AssentForWeb, options: WebOptions = {}): Web {
  const site = siteFrom(assent, options)
  const app = appFor(site)
  const fetch: Web['fetch'] = async (request, env) => app.fetch(request, env ?? {})
  return {
    fetch,
    node: getRequestListener((request, env) => fetch(request, env as WebEnv['Bindings']), {
      overrideGlobalObjects: false,
    }) as RequestListener,
    enrollLink: (next) => enrollLink(assent, next),
    close() {
      site.streams.close()
      site.consoleStreams.close()
      site.repeats.close()
    },
  }
}

function appFor(site: Site): Hono<WebEnv> {
  const login = site.assent.login?.onPages
  const app = new Hono<WebEnv>({ getPath: pathOf })
  app.use(secureHeaders(site))
  app.use(guardEntrance)
  app.route('/', statusRoutes(site))
  app.route('/', questionRoutes(site))
  app.route('/', inboxRoutes())
  app.route('/', severalRoutes())
  app.route('/', grantsRoutes())
  app.route('/', auditRoutes())
  app.route('/', connectRoutes())
  app.route('/', connectionsRoutes())
  app.route('/', browsersRoutes())
  app.route('/', passkeysRoutes())
  app.route('/', programsRoutes())
  app.route('/', pushRoutes())
  app.route('/', channelsRoutes())
  app.route('/', consoleRoutes())
  app.route('/', toolsRoutes())
  if (site.isLocal) app.route('/', enrollRoutes())
  if (login) app.route('/', loginRoutes(login))
  app.notFound(async (c) => (await noSuchApi(c)) ?? notice(c, 404, { kind: 'not-found' }))
  app.onError((error, c) => {
    const { status, notice: shown, isLogged } = noticeFor(error)
    if (isLogged) site.onError(error)
    return notice(c, status, shown)
  })
  return app
}

/** The path without slashes at its end. */
function pathOf({ url }: Request): string {
  return new URL(url).pathname.replace(/(?<=.)\/+$/, '')
}
