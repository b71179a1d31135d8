import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import type { Answer, Assent, Elicitation } from '../../src/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { askingUpstreams, gated, oldServer } from '../support/gateway/gateways.ts'
import { local, nextAsked, say, until } from '../support/server/servers.ts'
import { enrolledBrowser, pagePath } from '../support/test-browser.ts'

const clients = [
  ['2025', connect11],
  ['2026', connect26],
] as const
const upstreams = Object.entries(askingUpstreams).filter(([name]) => name.endsWith('over HTTP'))

/** Somebody who answers what lies in the inbox, and keeps what they saw there. */
function answering(assent: Assent, answer: (asked: Elicitation) => Answer) {
  const seen: Elicitation[] = []
  const person = { participant: local, groups: [] }
  assent.events.listen(async (news) => {
    if (news.kind !== 'asked') return
    const [asked] = (await assent.listOpen(person, 10)).filter(({ id }) => id === news.elicitation.id)
    if (asked === undefined) return
    seen.push(asked)
    await assent.answer(asked.id, { ...person, via: 'inbox' }, answer(asked))
  })
  return seen
}

describe.each(upstreams)('an upstream of %s', (_era, start) => {
  describe.each(clients)('behind a client of %s that cannot be asked', (_, how) => {
    test('asks by forms and pages in the inbox, and gets the answers', async () => {
      const { assent, connect } = await gated({ up: await start() })
      const client = await connect(how, { only: 'up', elicitation: undefined })
      const seen = answering(assent, ({ question }) =>
        question.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { branch: 'main' } },
      )
      expect((await client.call('build')).text).toBe('built main')
      expect((await client.call('both')).text).toBe('main main')
      expect((await client.call('open')).text).toBe('opened accept')
      expect(seen.map(({ question }) => question.message)).toEqual([
        '[up] Which branch?',
        '[up] First?',
        '[up] Second?',
        '[up] Sign in\nhttps://example.com/sign-in',
      ])
      expect(seen.at(-1)).toMatchObject({
        origin: { server: 'up' },
        metadata: { link: 'https://example.com/sign-in', title: 'Go to example.com?' },
      })
    })

    test('hears of a no that is said in the inbox', async () => {
      const { assent, connect } = await gated({ up: await start() })
      const client = await connect(how, { only: 'up', elicitation: undefined })
      let action: 'decline' | 'cancel' = 'decline'
      answering(assent, () => ({ action }))
      for (action of ['decline', 'cancel'] as const) {
        expect((await client.call('build')).text).toBe(`built ${action}`)
        expect((await client.call('open')).text).toBe(`opened ${action}`)
      }
    })

    test('wants a page visited first, which is shown in the inbox', async () => {
      const { assent, connect } = await gated({ up: await start() })
      const client = await connect(how, { only: 'up', elicitation: undefined })
      const seen = answering(assent, () => ({ action: 'accept' }))
      expect((await client.call('visit')).text).toBe('visited')
      expect(seen.map(({ metadata }) => metadata.link)).toEqual(['https://example.com/pay'])
    })

    test('asks by a page in the inbox where the client shows forms alone', async () => {
      const { assent, connect } = await gated({ up: await start() })
      const client = await connect(how, { only: 'up', elicitation: { form: {} } })
      client.answers(() => ({ action: 'accept', content: { branch: 'client' } }))
      const seen = answering(assent, () => ({ action: 'accept' }))
      expect((await client.call('build')).text).toBe('built client')
      expect((await client.call('open')).text).toBe('opened accept')
      expect(seen.filter(({ purpose }) => purpose === 'confirm')).toHaveLength(1)
    })
  })
})

test('a page of an upstream is opened from the inbox in the browser', async () => {
  const { assent, connect } = await gated({ up: await askingUpstreams['2025 over HTTP']() })
  const browser = await enrolledBrowser({ assent, web: createWeb(assent) } as never)
  const client = await connect(connect26, { only: 'up', elicitation: undefined })
  const asking = nextAsked(assent)
  const calling = client.call('open')
  const asked = await asking
  const inbox = await browser.get(`/inbox?open=${asked.id}`)
  expect(inbox.status).toBe(200)
  for (const words of ['Go to example.com?', 'href="https://example.com/sign-in"', 'I opened it', 'Sign in'])
    expect(inbox.text).toContain(words)
  await browser.post(`${pagePath(asked)}?from=inbox`, { answer: 'accept' })
  expect((await calling).text).toBe('opened accept')
})

describe.each([
  ['2025', connect11, undefined],
  ['2026', connect26, { form: {}, url: {} }],
] as const)('a 2025 upstream that names another page each time, behind a client of %s', (_, how, elicitation) => {
  test('sends nobody to pages without end', async () => {
    let calls = 0
    const url = await oldServer((mcp) => {
      mcp.registerTool('visit', {}, async () => {
        calls += 1
        const elicitationId = `page-${calls}`
        const done = mcp.server.createElicitationCompletionNotifier(elicitationId)
        // After the last one nobody may be there any more.
        setTimeout(() => void done().catch(() => {}), 20)
        throw new UrlElicitationRequiredError([
          { mode: 'url', message: 'Pay first', url: `https://example.com/${calls}`, elicitationId },
        ])
      })
      mcp.registerTool('calls', {}, async () => say(String(calls)))
    })
    const { assent, connect } = await gated({ up: { url } })
    const client = await connect(how, { only: 'up', elicitation })
    client.answers(() => ({ action: 'accept' }))
    answering(assent, () => ({ action: 'accept' }))
    const { isError, outcome, text } = await client.call('visit')
    expect({ isError, outcome }).toEqual({ isError: true, outcome: { status: 'failed', reason: 'too-many-rounds' } })
    expect(text).toContain('keeps asking for more pages')
    await until(() => calls === 6)
    expect((await client.call('calls')).text).toBe('6')
  })
})
