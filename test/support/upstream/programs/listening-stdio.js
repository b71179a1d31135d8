import { createInterface } from 'node:readline'

/** A 2026 server whose tool `tell` sends a list change under its own, another or no subscription id. */
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const listens = []
const params = (id) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } })
const text = (said) => ({ resultType: 'complete', content: [{ type: 'text', text: String(said) }] })
const listed = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' }
const capabilities = { tools: { listChanged: true } }

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params: given } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'server/discover') {
    return say({ id, result: { ...listed, supportedVersions: ['2026-07-28'], capabilities } })
  }
  if (method === 'subscriptions/listen') {
    listens.push(id)
    return say({ method: 'notifications/subscriptions/acknowledged', params: { ...params(id), ...given } })
  }
  if (method === 'tools/list') {
    const tools = ['tell', 'listens', 'pid'].map((name) => ({ name, inputSchema: { type: 'object' } }))
    return say({ id, result: { ...listed, tools } })
  }
  const { name, arguments: { by } = {} } = given
  if (name === 'pid') return say({ id, result: text(process.pid) })
  if (name === 'tell') {
    const method = 'notifications/tools/list_changed'
    if (by === 'own') for (const own of listens) say({ method, params: params(own) })
    else say({ method, params: by === 'none' ? {} : params(by) })
  }
  say({ id, result: text(listens.length) })
})
