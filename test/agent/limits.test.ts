import { expect, test } from 'vitest'
import { startHub } from '../support/hub/hub.ts'

const tools = {
  list: async () => [{ name: 'work', inputSchema: { type: 'object' } }],
  call: async (_: string, { n }: { n?: unknown }) => ({ content: [{ type: 'text', text: `did ${n}` }] }),
  close: async () => {},
}

test('an agent that has more to say than the hub takes at once says it slowly, and all of it arrives', async () => {
  const { join } = await startHub({ limits: { burst: 20, envelopesPerSecond: 400 } })
  const [a, b] = [await join('agent-a'), await join('agent-b')]
  await b.serveTools(tools)
  const calls = Array.from({ length: 400 }, (_, n) => a.call('agent-b', 'work', { n }))
  const results = await Promise.all(calls)
  expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(results.map((_, n) => `did ${n}`))
})
