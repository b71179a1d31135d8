import { describe, expect, test } from 'vitest'
import { type Asked, connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { askingGateway, connectAs, openQuestions } from '../support/client/replay.ts'
import { allowOnce, answerOnPage, filled } from '../support/server/approving.ts'
import { localPage, nextAsked } from '../support/server/servers.ts'

const questionKey = 'assent/question'
const displayKey = 'anthropic/permissionDisplay'
const args = { path: '/tmp/notes.txt' }
const rule = { reason: 'Files are kept for good.', priority: 'high' }

const published = (how: typeof connect06, elicitation: object = { form: {}, url: {} }) =>
  ({ info: { name: 'some-editor', version: '1' }, how, elicitation: { ...elicitation }, sees: 'form' }) as const

describe.each([
  ['2025-06-18', connect06],
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
])('what an approval says to programs (%s)', (_, how) => {
  const firstAsked = async (given: Record<string, string>, more: object = {}) => {
    const place = await askingGateway('5m', { ...rule, ...more })
    const client = await connectAs(place, published(how))
    const kept = nextAsked(place.assent)
    client.answers((shown) => allowOnce(shown))
    const result = await client.call('write_file', given)
    const [shown] = client.asked
    return { shown: shown as Asked, kept: await kept, result, client }
  }

  test('its kind, priority and original request, under which the client finds its own call', async () => {
    const { shown, kept, client } = await firstAsked(args)
    const call = client.sent.find(({ method }) => method === 'tools/call')
    expect(shown._meta?.[questionKey]).toEqual({
      id: kept.id,
      elicitationType: 'tool_approval',
      priority: 'high',
      server: 'files',
      expiresAt: kept.expiresAt.toISOString(),
      originalRequest: { from: 'some-editor', tool: 'write_file', arguments: args, requestId: call?.id },
    })
  })

  test('the heading of a dialog of Claude clients', async () => {
    const { shown } = await firstAsked(args)
    expect(shown._meta?.[displayKey]).toEqual({
      title: 'Run write_file on files?',
      displayName: 'write_file',
      description: 'Files are kept for good.',
    })
  })

  test('a rule without a priority is a normal one', async () => {
    const { shown } = await firstAsked(args, { priority: undefined })
    expect(shown._meta?.[questionKey]).toMatchObject({ priority: 'normal' })
  })

  test('its result: who approved it, when and by which way', async () => {
    const { result } = await firstAsked(args)
    expect(result.meta?.['assent/approval']).toEqual({
      approvedBy: 'local',
      approvedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      via: 'client',
    })
  })
})

describe.each([
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
])('what an approval on a page says to programs (%s)', (_, how) => {
  /** Asks for a yes on a page, gives it there, and returns what went over the wire. */
  const askedOnPage = async (given: Record<string, string>) => {
    const place = await askingGateway('5m', { ...rule, answer: 'page' })
    const client = await connectAs(place, published(how))
    client.answers(async (shown) => {
      expect(shown.mode).toBe('url')
      const [asked] = await openQuestions(place.assent)
      if (asked !== undefined) await answerOnPage(place.assent, asked, localPage)
      return { action: 'accept' }
    })
    const { meta } = await client.call('write_file', given)
    // The SDK of the client keeps the `_meta` of a page to itself.
    return { meta, received: client.received() }
  }

  test('the same as a form, and its result says that it was a page', async () => {
    const { meta, received } = await askedOnPage(args)
    expect(meta?.['assent/approval']).toMatchObject({ approvedBy: 'local', via: 'page' })
    expect(received).toContain('"elicitationType":"tool_approval","priority":"high"')
    expect(received).toContain(
      '"originalRequest":{"from":"some-editor","tool":"write_file","arguments":{"path":"/tmp/notes.txt"},"requestId":',
    )
    expect(received).toContain('"anthropic/permissionDisplay":{"title":"Run write_file on files?"')
  })

  test('not its arguments where they are many pages long', async () => {
    const { received } = await askedOnPage({ path: 'x'.repeat(20_000) })
    expect(received).toContain('"originalRequest":{"from":"some-editor","tool":"write_file","requestId":')
  })
})

describe.each([
  ['2025-06-18', connect06],
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
])('a client that shows what it does not declare (%s)', (_, how) => {
  const silent = { ...published(how), declaresNothing: true }

  test('is not asked without a quirk', async () => {
    const place = await askingGateway()
    const client = await place.connect(silent.how, { only: 'files', ...silent })
    client.answers(allowOnce)
    expect((await client.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
    expect(client.asked).toEqual([])
  })

  test('is asked by the form that a quirk adds, and its yes runs the call', async () => {
    const place = await askingGateway('5m', {}, { quirks: [{ name: 'some-editor', adds: ['form'] }] })
    const client = await place.connect(silent.how, { only: 'files', ...silent })
    client.answers(allowOnce)
    expect((await client.call('write_file', args)).text).toContain('written')
    expect(client.asked.map(({ mode = 'form' }) => mode)).toEqual(['form'])
    expect(place.deeds).toEqual(['write_file'])
  })

  test('is not asked by what another quirk takes away: lacks counts first', async () => {
    const quirks = [
      { name: 'some-editor', adds: ['form', 'url'] as const },
      { name: 'some-editor', lacks: ['form', 'url'] as const },
    ]
    const place = await askingGateway(50, {}, { quirks })
    const client = await place.connect(silent.how, { only: 'files', ...silent })
    client.answers((shown) => filled(shown, { choice: 'allow_once' }))
    expect((await client.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
    expect(client.asked).toEqual([])
    expect(place.deeds).toEqual([])
  })

  // The SDK of the client answers no page on that revision, which has none.
  if (how === connect06) return
  test('is asked by the page that a quirk adds, whose accept is not the answer', async () => {
    const quirks = [{ name: 'some-editor', adds: ['url' as const] }]
    const place = await askingGateway('5m', {}, { quirks })
    const client = await place.connect(silent.how, { only: 'files', ...silent })
    client.answers(async () => {
      const [asked] = await openQuestions(place.assent)
      expect(place.deeds).toEqual([])
      if (asked !== undefined) await answerOnPage(place.assent, asked, localPage)
      return { action: 'accept' }
    })
    expect((await client.call('write_file', args)).text).toContain('written')
    expect(client.asked.map(({ mode }) => mode)).toEqual(['url'])
  })
})
