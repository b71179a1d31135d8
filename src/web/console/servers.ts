import { heldBack } from '../../definition/definitions.ts'
import type { KnownDefinition } from '../../definition/known-definition.ts'
import { serversPage, type ToolHistory } from '../pages/console/servers-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admitAdmin } from '../viewer/admin.ts'

const mostConnections = 1_000
const mostDefinitions = 10_000

/** The servers behind the gateway of this process. */
export async function showServers(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const { assent, console: sources, pinned } = c.var.site
  const views = sources?.servers()
  const isWithAccounts = views?.some(({ provider }) => provider !== undefined) === true
  const connections = isWithAccounts ? await assent.store.connections.listAll(mostConnections) : []
  const known = views === undefined ? [] : await assent.definitions.list(mostDefinitions)
  const servers = views?.map((view) => {
    const own = known.filter(({ server }) => server === view.id)
    const held = own.filter((one) => pinned(view.id) && heldBack(one, one.seen.digest) !== undefined).length
    const about = { ...view, history: new Map(own.map((one) => [one.tool, historyOf(one)])), held }
    if (view.provider === undefined) return about
    return { ...about, accounts: connections.filter(({ provider }) => provider === view.provider).length }
  })
  c.set('isLive', true)
  return c.html(serversPage(frameFor(c), servers === undefined ? {} : { servers }))
}

function historyOf({ firstSeen, changes, seen, allowed }: KnownDefinition): ToolHistory {
  return { firstSeen, changes, changedAt: seen.at, ...(allowed !== undefined && { allowedAt: allowed.at }) }
}
