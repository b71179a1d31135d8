import { expect, onTestFinished, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { freePort } from '../support/free-port.ts'
import { compiled } from '../support/programs.ts'

test.each([
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const)(
  'an application over stdio asks its client, and serves its pages on a port of its own (%s)',
  async (_, how) => {
    const port = await freePort()
    const client = await how({ args: [compiled(new URL('stdio-process.ts', import.meta.url)), port], env: {} })
    onTestFinished(() => client.close())
    client.answers(() => ({ action: 'accept', content: { size: 'small' } }))
    expect(await client.call('order')).toMatchObject({ text: 'ordered small', isError: false })
    client.answers(() => ({ action: 'accept', content: { choice: 'deny' } }))
    expect(await client.call('delete', { what: 'logs' })).toMatchObject({ outcome: { status: 'denied' } })
    expect((await fetch(`http://127.0.0.1:${port}/inbox`)).status).toBe(403)
  },
)
