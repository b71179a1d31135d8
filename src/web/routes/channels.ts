import { Hono } from 'hono'
import { readTextBody } from '../http/body.ts'
import type { WebContext, WebEnv } from '../site.ts'

/** Far above what Slack sends for a button. */
const longestMessage = 262_144

/** Where the services behind channels send what people press. Each channel verifies its own messages. */
export const channelsRoutes = () => new Hono<WebEnv>().post('/channels/:name', receive)

async function receive(c: WebContext): Promise<Response> {
  const channel = c.var.site.assent.channels.find(({ name }) => name === c.req.param('name'))
  // As for a message that does not verify: nobody learns which channels there are.
  if (channel?.receive === undefined) return new Response(null, { status: 401 })
  const body = await readTextBody(c.req.raw, longestMessage)
  if (body === undefined) return new Response(null, { status: 413 })
  return channel.receive({ headers: c.req.raw.headers, body })
}
