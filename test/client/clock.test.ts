import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ToolTimedOut } from '../../src/client/index.ts'
import { scriptedUi } from '../../src/testing/index.ts'
import {
  aPage,
  type Connect,
  connect2025,
  connect2026,
  connectOld,
  fake2025,
  fake2026,
  inputRequired,
  of2025,
  textOf,
  textResult,
  urlRequired,
} from '../support/client/clients.ts'

const nameForm = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
}

// Time stands still unless a test moves it, so that no limit runs out because the machine is slow.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const spend = async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms))
const slowly = () => spend(600).then(() => ({ action: 'accept', content: { name: 'Ada' } }) as const)
const times = { toolTime: '200ms', humanTime: '5s' } as const

/** A tool that asks and then works for a while, on a server of either era. */
const asking = {
  2025: async (toolMs: number) =>
    fake2025(async (_params, server) => {
      const { result } = await server.ask(nameForm)
      await spend(toolMs)
      return textResult(`${result?.action}`)
    }).transport,
  2026: (toolMs: number) =>
    fake2026(async ({ inputResponses }) => {
      if (inputResponses === undefined) return inputRequired({ q: nameForm }, 's')
      await spend(toolMs)
      return textResult(`${inputResponses.q?.action}`)
    }),
}

const clients: [string, Connect, keyof typeof asking][] = [
  ['SDK 1.32', connectOld, 2025],
  ['SDK 2.4', connect2025, 2025],
  ['SDK 2.4 of 2026-07-28', connect2026, 2026],
]

describe.each(clients)('two clocks, through %s', (_name, connect, era) => {
  test('a person may take longer than the time limit of a tool (X26-03, H11-11)', async () => {
    const client = await connect(await asking[era](100), scriptedUi({ form: [slowly] }), times)
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('accept')
  })

  test('a slow tool runs out of time, before or after the person was asked (X26-03, H11-11)', async () => {
    const client = await connect(await asking[era](2_000), scriptedUi({ form: [slowly] }), times)
    await expect(client.callTool({ name: 'x' })).rejects.toBeInstanceOf(ToolTimedOut)
  })

  test('a question that is not answered in time ends without an answer', async () => {
    const never = () => {
      setImmediate(spend, 100)
      return new Promise<never>(() => {})
    }
    const options = { toolTime: '1s', humanTime: '100ms' } as const
    const client = await connect(await asking[era](0), scriptedUi({ form: [never] }), options)
    const outcome = await client.callTool({ name: 'x' }).then(textOf, ({ status }) => status)
    // A 2025 server gets a cancel and decides how to continue; a 2026 server does not wait for an answer.
    expect(outcome).toBe(era === 2025 ? 'cancel' : 'expired')
  })

  test('a call may have a time limit of its own', async () => {
    const client = await connect(await asking[era](300), scriptedUi({ form: [slowly] }), times)
    expect(textOf(await client.callTool({ name: 'x' }, { timeoutMs: 900 }))).toBe('accept')
  })
})

describe.each(of2025)('a page, through %s', (_name, connect) => {
  test('that a 2025 server waits for pauses the clock until it is completed', async () => {
    const server = fake2025(async (_params, server) => {
      await server.ask(aPage('p1'))
      await spend(500)
      server.notify('notifications/elicitation/complete', { elicitationId: 'p1' })
      await spend(100)
      return textResult('signed')
    })
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'] }), times)
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('signed')
  })

  test('that one call requires does not extend the time of other calls', async () => {
    const server = fake2025(async ({ name }) => {
      if (name === 'page') throw urlRequired(aPage('p1'))
      await spend(1_000)
      return textResult('late')
    })
    let isOpened = false
    const open = () => {
      isOpened = true
      return 'open' as const
    }
    const client = await connect(server.transport, scriptedUi({ consentToOpen: [open] }), {
      ...times,
      humanTime: '1s',
    })
    const page = client.callTool({ name: 'page' })
    await expect.poll(() => isOpened).toBe(true)
    await expect(client.callTool({ name: 'slow' })).rejects.toBeInstanceOf(ToolTimedOut)
    await expect(page).rejects.toMatchObject({ status: 'expired' })
  })
})
