import { type CallHandler, Catch, type ExecutionContext, UseFilters, UseInterceptors } from '@nestjs/common'
import { McpController, Tool } from '@rekog/mcp-nest'
import { finalize, throwError } from 'rxjs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { Ask, AskRefused, type Asks, AssentTransport, McpElicitationModule } from '../../src/nest/index.ts'
import { type Connect, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { nestApp } from './apps.ts'
import { TestGuard } from './start-app.ts'

let open = 0

/** Holds something for as long as a run of the pipeline lasts, as a transaction would. */
class Holding {
  intercept(_: ExecutionContext, next: CallHandler) {
    open += 1
    return next.handle().pipe(
      finalize(() => {
        open -= 1
      }),
    )
  }
}

class OwnWords {
  catch() {
    return throwError(() => ({ message: 'in our own words' }))
  }
}
Catch(AskRefused)(OwnWords)

@McpController()
class Tools {
  @UseInterceptors(new Holding())
  @Tool({ name: 'held', description: 'Asks while something is held', parameters: z.object({}) })
  async held(@Ask() ask: Asks) {
    const { size } = await ask.form('Which size?', z.object({ size: z.string() }))
    return { content: [{ type: 'text', text: `held ${size} ${open}` }] }
  }

  @UseFilters(new OwnWords())
  @Tool({ name: 'filtered', description: 'Its refusals are filtered', parameters: z.object({}) })
  async filtered(@Ask() ask: Asks) {
    await ask.confirm('Really?')
    return { content: [{ type: 'text', text: 'done' }] }
  }
}

describe.each([
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const)("Nest's pipeline (%s)", (_, how) => {
  test('every run of an interceptor ends, also where a question goes to the client', async () => {
    const client = await closing(how, (await nestApp({ tools: [Tools] })).url)
    client.answers(() => ({ action: 'accept', content: { size: 'small' } }))
    expect((await client.call('held')).text).toBe('held small 1')
    expect(open).toBe(0)
  })

  test("a filter of the application's own has the last word on a refusal", async () => {
    const client = await closing(how, (await nestApp({ tools: [Tools] })).url)
    client.answers(() => ({ action: 'decline' }))
    expect(await client.call('filtered')).toMatchObject({ isError: true, text: 'in our own words' })
  })
})

test('a 2025 session of AssentTransport belongs to the user who opened it', async () => {
  const { url } = await nestApp({ guarded: true, transport: new AssentTransport(), module: { guards: [TestGuard] } })
  const send = (user: string, message: object, session?: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${user}`,
        ...(session !== undefined && { 'Mcp-Session-Id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const opened = await send('alice', { id: 1, method: 'initialize', params })
  const session = opened.headers.get('mcp-session-id') ?? ''
  await opened.text()
  const list = { id: 2, method: 'tools/list' }
  expect((await send('bob', list, session)).status).toBe(404)
  expect((await send('alice', list, session)).status).toBe(200)
  expect((await fetch(url, { method: 'POST' })).status).toBe(401)
})

test('forRootAsync makes the options, beside routes and guards that are declared', async () => {
  const app = await nestApp({
    module: (serverUrl) =>
      McpElicitationModule.forRootAsync({
        apiPrefix: 'ask',
        guards: [TestGuard],
        useFactory: async () => ({ serverUrl, templateOptions: { title: 'My Application' } }),
      }),
  })
  expect((await fetch(`${app.origin}/ask/some-id/confirm`)).status).toBe(401)
  const page = await fetch(`${app.origin}/ask/some-id/confirm`, { headers: { cookie: 'user=alice' } })
  expect(page.status).toBe(404)
  expect(await page.text()).toContain('My Application')
})

test('a module that knows no strategy does not start, and says what to do', async () => {
  const starting = nestApp({ module: { strategies: [] } })
  await expect(starting).rejects.toThrow('Provide it as MCP_STRATEGY')
})

async function closing(how: Connect, url: URL) {
  const client = await how({ url })
  onTestFinished(() => client.close())
  return client
}
