import { createServer } from 'node:http'
import { createAssent } from 'assent'
import { createAssentServer, requireConnection } from 'assent/server'
import { createWeb } from 'assent/web'
import { z } from 'zod'

const { PORT = '4181', STORE = 'memory:', GITHUB_ID, GITHUB_SECRET = '' } = process.env
const { GITHUB_API = 'https://api.github.com' } = process.env
const origin = `http://127.0.0.1:${PORT}`

// With an OAuth app of yours people sign in at GitHub; without one they give a personal access token on our page.
const github = GITHUB_ID
  ? ({ preset: 'github', clientId: GITHUB_ID, clientSecret: GITHUB_SECRET, scopes: ['read:user'] } as const)
  : ({ apiKey: true, title: 'GitHub', fieldLabel: 'Personal access token', placeholder: 'github_pat_…' } as const)

const assent = await createAssent({ store: STORE, publicUrl: origin, providers: { github } })
const asking = createAssentServer(assent, { name: 'Connections', accessTools: true })
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

const mcp = asking.http(() => {
  const server = asking.server({ name: 'connections', version: '1.0.0' })

  // The key goes from the page into the vault; neither the client nor the model ever has it.
  server.registerTool(
    'charge',
    { description: 'Charges an amount', inputSchema: z.object({ cents: z.int().positive() }) },
    asking.tool(async ({ cents }, ask) => {
      const key = await ask.secret('Which Stripe key should pay for this?', {
        type: 'api-key-stripe',
        fieldLabel: 'Stripe API key',
        placeholder: 'sk_test_…',
      })
      const words = { title: `Charge ${cents} cents?`, warning: 'This cannot be undone.', confirmLabel: 'Charge' }
      // On a page: a client that says yes by itself is not enough.
      await ask.confirm(`${cents} cents will be charged.`, { ...words, answer: 'page' })
      return ask.once('charge', () => say(`Charged ${cents} cents with a key of ${key.length} characters.`))
    }),
  )

  // The handler runs when the account is there, and not before.
  server.registerTool(
    'who_am_i',
    { description: 'Says whose GitHub account this is', inputSchema: z.object({}) },
    asking.tool(
      requireConnection('github', {}, async (_args: object, _ask, _ctx, account) => {
        const reply = await fetch(`${GITHUB_API}/user`, { headers: account.headers })
        // Renewed, or asked for again, by the next call.
        if (reply.status === 401) await account.rejected()
        if (!reply.ok) return { ...say(`GitHub answered ${reply.status}.`), isError: true }
        const { login } = z.object({ login: z.string() }).parse(await reply.json())
        return say(`You are ${login}.`)
      }),
    ),
  )
  return server
})

const web = createWeb(assent, { onError: console.error })
const server = createServer((request, reply) => (request.url?.startsWith('/mcp') ? mcp : web).node(request, reply))
await new Promise<void>((resolve, reject) => server.once('error', reject).listen(Number(PORT), '127.0.0.1', resolve))
console.log(`MCP is served at ${origin}/mcp. Open this once, within 10 minutes, in the browser you answer with:`)
console.log(await web.enrollLink('/connections'))

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await mcp.close()
    await new Promise((resolve) => server.close(resolve).closeAllConnections())
    await assent.close()
  })
}
