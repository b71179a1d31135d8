import { request } from 'node:http'
import { agent, client, connections, post } from './mcp-post.ts'
import type { Place } from './pages-process.ts'

/** How many keys to enter, and where. */
export interface PagesLoad extends Place {
  readonly revision: '2025-11-25' | '2026-07-28'
  readonly keys: number
}

interface Sent {
  readonly url: URL
  readonly cookie: string
  readonly form?: URLSearchParams
}

function visit({ url, cookie, form }: Sent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const posting = form && { Origin: url.origin, 'Content-Type': 'application/x-www-form-urlencoded' }
    const headers = { Cookie: cookie, 'Accept-Language': 'en-GB,en;q=0.9', 'Sec-Fetch-Site': 'same-origin', ...posting }
    const sent = request(url, { method: form ? 'POST' : 'GET', agent, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    sent.end(form?.toString())
  })
}

/** Enters a key as a person does in a browser: opens the page, posts the key, and opens the confirmation. */
async function giveKey(url: URL, cookie: string, key: string): Promise<void> {
  const page = await visit({ url, cookie })
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? []
  const form = new URLSearchParams({ csrf, answer: 'accept', 'field.apiKey': key })
  const posted = await visit({ url, cookie, form })
  const after = await visit({ url, cookie })
  if (page.status !== 200 || posted.status !== 303 || after.status !== 200) {
    throw new Error(`The pages answered ${page.status}, ${posted.status}, ${after.status}: ${posted.body || page.body}`)
  }
}

let given = 0

/** Enters one key after the other on one connection, as a client of this revision and its person. */
async function enterInTurn({ port, cookie, revision }: PagesLoad, keys: number): Promise<void> {
  const collect = revision === '2026-07-28' ? await byRounds(port) : await byError(port)
  for (let n = 0; n < keys; n++) {
    const key = `sk_${++given}`
    const said = await collect(key, (url) => giveKey(new URL(url), cookie, key))
    if (said !== key) throw new Error(`The tool returned another key than the one entered: ${said}`)
  }
}

type Collect = (text: string, visitPage: (url: string) => Promise<void>) => Promise<string | undefined>

async function byRounds(port: number): Promise<Collect> {
  const revision = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
  }
  const headers = { 'MCP-Protocol-Version': revision, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'key' }
  return async (text, visitPage) => {
    const call = async (retry: object = {}) => {
      const params = { name: 'key', arguments: { text }, ...retry, _meta }
      return (await post(port, { headers, message: { id: 1, method: 'tools/call', params } })).last.result
    }
    const { requestState, inputRequests = {} } = (await call()) ?? {}
    const [[name, ask] = []] = Object.entries(inputRequests)
    await visitPage(ask?.params.url ?? '')
    const result = await call({ requestState, inputResponses: { [name ?? '']: { action: 'accept' } } })
    return result?.content?.[0]?.text
  }
}

async function byError(port: number): Promise<Collect> {
  const revision = '2025-11-25'
  const initialize = { protocolVersion: revision, capabilities: { elicitation: { url: {} } }, clientInfo: client }
  const { session } = await post(port, { message: { id: 0, method: 'initialize', params: initialize } })
  const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': revision }
  await post(port, { headers, message: { method: 'notifications/initialized' } })
  let id = 0
  return async (text, visitPage) => {
    const call = (expects?: number) => {
      const params = { name: 'key', arguments: { text } }
      return post(port, { headers, message: { id: ++id, method: 'tools/call', params } }, expects)
    }
    const { last } = await call(-32042)
    await visitPage(last.error?.data?.elicitations?.[0]?.url ?? '')
    return (await call()).last.result?.content?.[0]?.text
  }
}

process.on('message', async (load: PagesLoad) => {
  const keys = Math.ceil(load.keys / connections)
  await Promise.all(Array.from({ length: connections }, () => enterInTurn(load, keys)))
  process.send?.(keys * connections)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
