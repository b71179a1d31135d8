import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'

const modes = { '2025': 'legacy', '2026': { pin: '2026-07-28' } } as const
const kinds = ['tools', 'prompts', 'resources'] as const

/** A client that hears of changes, as each revision does it. */
export async function hearing(url: URL, era: keyof typeof modes, token?: string, wants: readonly string[] = kinds) {
  const client = new Client({ name: 'hearing', version: '1' }, { versionNegotiation: { mode: modes[era] } })
  const heard: string[] = []
  for (const kind of kinds)
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void heard.push(kind))
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  onTestFinished(() => client.close())
  if (era === '2026') await client.listen(Object.fromEntries(wants.map((kind) => [`${kind}ListChanged`, true])))
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  return { client, heard, names }
}
