import { describe, expect, test } from 'vitest'
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
  sleep,
  textOf,
  textResult,
  urlRequired,
} from '../support/client/clients.ts'

const nameForm = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
}
const slowly = () => sleep(600).then(() => ({ action: 'accept', content: { name: 'Ada' } }) as const)
const times = { toolTime: '200ms', humanTime: '5s' } as const

/** A tool that asks and then works for a while, on a server of either era. */
const asking = {
  2025: async (toolMs: number) =>
    fake2025(async (_params, server) => {
      const { result } = await server.ask(nameForm)
      await sleep(toolMs)
      return textResult(`${result?.action}`)
    }).transport,
  2026: (toolMs: number) =>
    fake2026(async ({ inputResponses }) => {
      if (inputResponses === undefined) return inputRequired({ q: nameForm }, 's')
      await sleep(toolMs)
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
    const since = performance.now()
    await expect(client.callTool({ name: 'x' })).rejects.toBeInstanceOf(ToolTimedOut)
    expect(performance.now() - since).toBeLessThan(1_500)
  })

  test('a question that is not answered in time ends without an answer', async () => {
    const never = () => new Promise<never>(() => {})
    const options = { toolTime: '1s', humanTime: '100ms' } as const
    const client = await connect(await asking[era](0), scriptedUi({ form: [never] }), options)
    const told = await client.callTool({ name: 'x' }).then(textOf, ({ status }) => status)
    // A 2025 server gets a cancel and decides how to continue; a 2026 server does not wait for an answer.
    expect(told).toBe(era === 2025 ? 'cancel' : 'expired')
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
      await sleep(500)
      server.notify('notifications/elicitation/complete', { elicitationId: 'p1' })
      await sleep(100)
      return textResult('signed')
    })
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'] }), times)
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('signed')
  })

  test('that one call requires does not extend the time of other calls', async () => {
    const server = fake2025(async ({ name }) => {
      if (name === 'page') throw urlRequired(aPage('p1'))
      await sleep(1_000)
      return textResult('late')
    })
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'] }), {
      ...times,
      humanTime: '1s',
    })
    const page = client.callTool({ name: 'page' })
    await expect(client.callTool({ name: 'slow' })).rejects.toBeInstanceOf(ToolTimedOut)
    await expect(page).rejects.toMatchObject({ status: 'expired' })
  })
})
