import { describe, expect, test } from 'vitest'
import { scriptedUi } from '../../src/testing/index.ts'
import {
  aPage,
  type Fake2025,
  fake2025,
  of2025,
  Refusal,
  sleep,
  textOf,
  textResult,
  urlRequired,
} from '../support/client/clients.ts'
import { promised, until } from '../support/server/servers.ts'

const complete = (server: Fake2025, elicitationId: string) =>
  server.notify('notifications/elicitation/complete', { elicitationId })

const tracking = { experimental: { 'assent/elicitation-track': {} } }

/** A server that requires a page before its tool runs. */
function needing(...ids: string[]) {
  const state = { isDone: false, calls: 0 }
  const server = fake2025(() => {
    state.calls += 1
    if (!state.isDone) throw urlRequired(...ids.map((id) => aPage(id)))
    return textResult('signed')
  })
  return { server, state }
}

describe.each(of2025)('-32042, through %s', (_name, connect) => {
  test('when the server reports the page as completed, the same call is sent again (E11-22)', async () => {
    const { server, state } = needing('p1')
    const ui = scriptedUi({
      consentToOpen: ['open'],
      open() {
        state.isDone = true
        complete(server, 'p1')
      },
    })
    const client = await connect(server.transport, ui)

    expect(textOf(await client.callTool({ name: 'sign', arguments: { a: 1 } }))).toBe('signed')
    const [first, second, ...more] = client.requests('tools/call')
    expect(second?.params).toEqual(first?.params)
    expect(second?.id).not.toBe(first?.id)
    expect(more).toEqual([])
    expect(ui.shown.map(({ kind }) => kind)).toEqual(['consent', 'opened', 'waiting'])
    expect(ui.all('waiting')[0]?.request.signal.aborted).toBe(true)
  })

  test('without a notice and without tracking, the person reports that they are done (E11-22)', async () => {
    const { server, state } = needing('p1')
    const done = async () => {
      await sleep(50)
      state.isDone = true
      return 'done' as const
    }
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'], waiting: [done] }))
    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    expect(state.calls).toBe(2)
  })

  test('a page that is reported done too early is not opened again, and the client waits once more', async () => {
    const { server, state } = needing('p1')
    const late = async () => {
      state.isDone = true
      return 'done' as const
    }
    const ui = scriptedUi({ consentToOpen: ['open'], waiting: ['done', 'done', late] })
    const client = await connect(server.transport, ui)
    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    expect(ui.shown.map(({ kind }) => kind)).toEqual(['consent', 'opened', 'waiting', 'waiting', 'waiting'])
    expect(state.calls).toBe(4)
  })

  test('the person can cancel before the page is opened and at any time after (E11-22, E11-31)', async () => {
    const { server, state } = needing('p1')
    const client = (script: Parameters<typeof scriptedUi>[0]) =>
      connect(needing('p1').server.transport, scriptedUi(script))
    const call = { name: 'sign' }
    await expect((await client({ consentToOpen: ['decline'] })).callTool(call)).rejects.toMatchObject({
      status: 'declined',
    })
    await expect((await client({ consentToOpen: ['cancel'] })).callTool(call)).rejects.toMatchObject({
      status: 'cancelled',
    })
    const leave = () => sleep(50).then(() => 'cancel' as const)
    const leaving = await connect(server.transport, scriptedUi({ consentToOpen: ['open'], waiting: [leave] }))
    await expect(leaving.callTool(call)).rejects.toMatchObject({ status: 'cancelled' })
    expect(state.calls).toBe(1)
  })

  test('a server that requires pages again and again is not retried forever', async () => {
    let pages = 0
    const server = fake2025(() => {
      throw urlRequired(aPage(`p${pages++}`))
    })
    const ui = scriptedUi({ consentToOpen: ['open'], waiting: ['done'] })
    const client = await connect(server.transport, ui, { maxRetries: 3 })
    await expect(client.callTool({ name: 'sign' })).rejects.toMatchObject({ code: -32_042 })
    expect([pages, ui.all('consent').length]).toEqual([4, 3])
  })

  test('a server that reports a page as completed and then requires it again is not retried', async () => {
    const server = fake2025(() => {
      throw urlRequired(aPage('p1'))
    })
    const ui = scriptedUi({ consentToOpen: ['open'], open: () => complete(server, 'p1') })
    const client = await connect(server.transport, ui)
    await expect(client.callTool({ name: 'sign' })).rejects.toMatchObject({ code: -32_042 })
    expect(ui.all('consent')).toHaveLength(1)
  })

  test('several pages are opened in turn; the client does not wait for one that was completed meanwhile', async () => {
    const { server, state } = needing('p1', 'p2')
    const ui = scriptedUi({
      consentToOpen: ['open'],
      open(url) {
        if (!url.endsWith('p1')) return
        state.isDone = true
        complete(server, 'p2')
        complete(server, 'p1')
      },
    })
    const client = await connect(server.transport, ui)
    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    expect(ui.all('consent').map(({ request }) => request.url)).toEqual([aPage('p1').url, aPage('p2').url])
  })

  test('calls that need the same page share it; cancelling one of them does not affect the others', async () => {
    const { server, state } = needing('p1')
    const leaving = new AbortController()
    const ui = scriptedUi({ consentToOpen: ['open'] })
    const client = await connect(server.transport, ui)

    const first = client.callTool({ name: 'sign' }, { signal: leaving.signal })
    const others = [1, 2, 3].map(() => client.callTool({ name: 'sign' }))
    await until(() => ui.all('waiting').length === 1)
    expect(ui.all('consent')).toHaveLength(1)

    leaving.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    await until(() => ui.all('waiting').length === 2)
    state.isDone = true
    complete(server, 'p1')
    expect((await Promise.all(others)).map(textOf)).toEqual(['signed', 'signed', 'signed'])
    expect(ui.all('consent')).toHaveLength(2)
  })

  test('notices about unknown or completed pages are ignored (E11-21)', async () => {
    const { server, state } = needing('p1')
    const done = promised<'done'>()
    const ui = scriptedUi({ consentToOpen: ['open'], waiting: [() => done.promise] })
    const client = await connect(server.transport, ui)
    for (const id of ['p1', 'other', '', '__proto__']) complete(server, id)
    await sleep(10)

    const calling = client.callTool({ name: 'sign' })
    await until(() => ui.all('waiting').length === 1)
    for (const id of ['other', 'P1', 'p1 ', '__proto__']) complete(server, id)
    await sleep(30)
    expect(state.calls).toBe(1)

    state.isDone = true
    done.keep('done')
    expect(textOf(await calling)).toBe('signed')
    for (let times = 0; times < 3; times++) complete(server, 'p1')
    await sleep(10)
    expect(state.calls).toBe(2)
  })

  test('elicitation ids are opaque (E11-18)', async () => {
    for (const id of ['__proto__', 'constructor', '1', ' ', '{"a":1}', '\u{1F512}', 'x'.repeat(5_000)]) {
      let isDone = false
      const server = fake2025(() => {
        if (!isDone) throw urlRequired(aPage(id, { url: 'https://sign.example.com/' }))
        return textResult('signed')
      })
      const open = () => {
        isDone = true
        complete(server, id)
      }
      const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'], open }))
      expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    }
  })

  test('an unsafe or malformed page is not offered to the person', async () => {
    const odd = [
      aPage('p1', { url: 'javascript:alert(1)' }),
      aPage('p1', { url: 7 }),
      { url: 'https://x.example' },
      null,
    ]
    for (const page of odd) {
      const server = fake2025(() => {
        throw urlRequired(page as never)
      })
      const ui = scriptedUi()
      const client = await connect(server.transport, ui)
      // The SDK may not pass on such an error.
      await expect(client.callTool({ name: 'sign' })).rejects.toThrow()
      expect(ui.all('consent')).toEqual([])
      expect(ui.all('opened')).toEqual([])
    }
  })

  test('too many pages in a minute are not shown (E06-08)', async () => {
    const server = fake2025(() => {
      throw urlRequired(...Array.from({ length: 50 }, (_, n) => aPage(`p${n}`)))
    })
    const ui = scriptedUi({ consentToOpen: ['open'], waiting: ['done'] })
    const client = await connect(server.transport, ui, { asksPerMinute: 4 })
    await expect(client.callTool({ name: 'sign' })).rejects.toMatchObject({ status: 'cancelled' })
    expect(ui.all('consent')).toHaveLength(4)
  })
})

describe.each(of2025)('tracking a page, through %s', (_name, connect) => {
  /** A server that answers `elicitation/track` with these results, and whose tool then runs. */
  function tracked(track: (tell: (message: string) => void, times: number) => unknown) {
    const state = { isDone: false, tracks: 0 }
    const server: Fake2025 = fake2025(
      () => {
        if (!state.isDone) throw urlRequired(aPage('p1'))
        return textResult('signed')
      },
      {
        capabilities: tracking,
        async track({ elicitationId }, { params }) {
          expect(elicitationId).toBe('p1')
          state.tracks += 1
          const { progressToken } = (params as { _meta: { progressToken: number } })._meta
          let progress = 0
          return track((message) => {
            progress += 1
            server.notify('notifications/progress', { progressToken, progress, message })
          }, state.tracks)
        },
      },
    )
    return { server, state }
  }

  test('its progress is shown, and the call continues when it is completed', async () => {
    const { server, state } = tracked(async (tell) => {
      tell('Signing in')
      tell('Almost there')
      await sleep(50)
      state.isDone = true
      return { status: 'complete' }
    })
    const ui = scriptedUi({ consentToOpen: ['open'] })
    const client = await connect(server.transport, ui)
    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    expect(ui.all('waiting')[0]?.progress).toEqual(['Signing in', 'Almost there'])
  })

  test('the request is sent again after the server has stopped waiting', async () => {
    const { server, state } = tracked((_tell, times) => {
      if (times === 1) throw new Refusal({ code: -31_001, message: 'Tracking timed out' })
      state.isDone = true
      return { status: 'complete' }
    })
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'] }))
    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    expect(state.tracks).toBe(2)
  })

  test.each([
    ['expired', undefined, 'expired', /timed out/],
    ['failed', 'The provider is down', 'failed', /provider is down/],
  ])('%s ends the call', async (status, error, expected, words) => {
    const { server } = tracked(() => ({ status, error }))
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'] }))
    const calling = client.callTool({ name: 'sign' })
    await expect(calling).rejects.toMatchObject({ status: expected, message: expect.stringMatching(words) })
  })

  test('after an error, only the person reports that they are done', async () => {
    const { server, state } = tracked(() => {
      throw new Refusal({ code: -32_602, message: 'Unknown elicitation' })
    })
    const done = async () => {
      await sleep(30)
      state.isDone = true
      return 'done' as const
    }
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'], waiting: [done] }))
    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    expect(state.tracks).toBe(1)
  })
})
