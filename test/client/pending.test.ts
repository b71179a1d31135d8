import { describe, expect, test } from 'vitest'
import { CallRefused } from '../../src/client/index.ts'
import { scriptedUi } from '../../src/testing/index.ts'
import {
  type Connect,
  connect2025,
  connect2026,
  connectOld,
  fake2025,
  fake2026,
  textOf,
  textResult,
} from '../support/client/clients.ts'

const pendingResult = {
  isError: true,
  content: [{ type: 'text', text: '[github] Bob must approve this.\u001b[2J' }],
  _meta: { 'assent/outcome': { status: 'pending', reason: 'approval' } },
}

/** A gateway that answers `pending` a number of times. */
const gateways = {
  2025: async (times: number) => {
    let calls = 0
    return fake2025(async () => (++calls > times ? textResult(`after ${calls}`) : pendingResult)).transport
  },
  2026: (times: number) => {
    let calls = 0
    return fake2026(async () => (++calls > times ? textResult(`after ${calls}`) : pendingResult))
  },
}

const clients: [string, Connect, keyof typeof gateways][] = [
  ['SDK 1.32', connectOld, 2025],
  ['SDK 2.4', connect2025, 2025],
  ['SDK 2.4 of 2026-07-28', connect2026, 2026],
]

describe.each(clients)('a call that somebody else must approve, through %s', (_name, connect, era) => {
  test('is sent again until it runs, and the wait is shown once', async () => {
    const ui = scriptedUi({ waiting: ['nothing'] })
    const client = await connect(await gateways[era](2), ui)
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('after 3')
    expect(ui.all('waiting')).toHaveLength(1)
    const [shown] = ui.all('waiting')
    expect(shown?.request.asker.origin).toBe('github')
    expect(shown?.request.message).toMatch(/^Bob must approve this\./)
    expect(shown?.request.message).not.toContain('\u001b')
  })

  test('returns the pending result when the person does not want to wait', async () => {
    const client = await connect(await gateways[era](9), scriptedUi({ waiting: ['cancel'] }))
    expect(await client.callTool({ name: 'x' })).toMatchObject({ isError: true })
  })

  test('does not wait forever', async () => {
    const client = await connect(await gateways[era](99), scriptedUi({ waiting: ['nothing'] }), { humanTime: '1s' })
    await expect(client.callTool({ name: 'x' })).rejects.toBeInstanceOf(CallRefused)
  })
})
