import type { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import { approvalIn } from '../../src/approval/question/subject.ts'
import type { Assent, Elicitation } from '../../src/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { audited } from '../support/approval/approving.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { type GatedOptions, gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { readPolicy } from '../support/policies.ts'
import { local, nextAsked } from '../support/server/servers.ts'
import { enrolledBrowser, pagePath } from '../support/test-browser.ts'

/** A document that can be shown and edited, and what was done to it. */
interface Document {
  text: string
  readonly shown: unknown[]
  readonly edits: string[]
}

const aDocument = (text = 'one line'): Document => ({ text, shown: [], edits: [] })
const said = (text: string, isError = false) => ({ content: [{ type: 'text' as const, text }], isError })
const readOnly = { annotations: { readOnlyHint: true } }
type Registering = Pick<McpServer, 'registerTool'>

function addTools(server: Registering, document: Document): void {
  const inputSchema = z.object({ path: z.string(), text: z.string() })
  server.registerTool('edit', { inputSchema }, async ({ text }) => {
    document.edits.push(text)
    return said('edited')
  })
  const any = z.object({}).loose()
  server.registerTool('show', { inputSchema: any, ...readOnly }, async (given) => {
    document.shown.push(given)
    return said(document.text)
  })
  server.registerTool('never', { inputSchema: any, ...readOnly }, () => new Promise<never>(() => {}))
  server.registerTool('broken', { inputSchema: any, ...readOnly }, async () => said('No such file.', true))
  server.registerTool('changes', { inputSchema: any, annotations: { destructiveHint: true } }, async () => said('gone'))
  server.registerTool('denied', { inputSchema: any, ...readOnly }, async () => said('secret'))
}

const servers = {
  '2025': (document: Document) => oldServer((server) => addTools(server as never, document)),
  '2026': (document: Document) => newServer((server) => addTools(server, document)),
}

const policyWith = (preview: RuleSettings['preview'], more: Partial<RuleSettings> = {}) => ({
  default: 'deny' as const,
  fallback: 'inbox' as const,
  rules: [
    { tool: 'edit', decide: 'ask' as const, preview: preview as NonNullable<RuleSettings['preview']>, ...more },
    { tool: ['show', 'never', 'broken', 'changes'], decide: 'allow' as const },
  ],
})

async function meet(
  document: Document,
  preview: RuleSettings['preview'] = 'show',
  {
    rule,
    era = '2025',
    clocks = { preview: 600_000 },
    ...options
  }: GatedOptions & { rule?: Partial<RuleSettings>; era?: keyof typeof servers } = {},
) {
  const policy = policyWith(preview, rule)
  const upstream = await servers[era](document)
  return gated({ files: { url: upstream } }, { assentOptions: { policy }, clocks, ...options })
}

const edit = { path: '/docs/a.md', text: 'new text' }
const previewIn = (asked: Elicitation) => approvalIn(asked)?.decision.preview
/** The question of a call; a call that ends without one fails the test. */
function askedBy(asking: Promise<Elicitation>, calling: Promise<unknown>): Promise<Elicitation> {
  const ended = calling.then((end) => Promise.reject(new Error(`It ended as ${JSON.stringify(end)}.`)))
  return Promise.race([asking, ended])
}

const yes = (assent: Assent, { id }: Elicitation) =>
  assent.answer(
    id,
    { participant: local, groups: [], via: 'page' },
    { action: 'accept', content: { choice: 'allow_once' } },
  )

describe.each([
  ['2025', '2025', connect11],
  ['2025', '2026', connect26],
  ['2026', '2025', connect11],
  ['2026', '2026', connect26],
] as const)('in front of an upstream of %s, for a client of %s', (era, _, how) => {
  test('the question shows what the server shows, and a yes runs the call', async () => {
    const document = aDocument()
    const { assent, connect } = await meet(document, 'show', { era })
    const client = await connect(how, { only: 'files', elicitation: undefined })
    const asking = nextAsked(assent)
    const calling = client.call('edit', edit)
    const asked = await askedBy(asking, calling)
    expect(previewIn(asked)).toMatchObject({ tool: 'show', text: 'one line', leftOut: 0 })
    expect(document.shown[0]).toEqual(edit)
    await yes(assent, asked)
    expect((await calling).text).toContain('edited')
    expect(document.edits).toEqual(['new text'])
    const started = await audited(assent, 'call-started')
    expect(started.map(({ data }) => data.tool)).toEqual(['show', 'show', 'edit'])
  })

  test('a preview that changed between the question and the sending asks again, and shows the new one', async () => {
    const document = aDocument()
    const { assent, connect } = await meet(document, 'show', { era })
    const client = await connect(how, { only: 'files', elicitation: undefined })
    const asking = nextAsked(assent)
    const calling = client.call('edit', edit)
    const asked = await askedBy(asking, calling)
    document.text = 'another line'
    const again = nextAsked(assent)
    await yes(assent, asked)
    const second = await again
    expect(second.id).not.toBe(asked.id)
    expect(previewIn(second)).toMatchObject({ text: 'another line' })
    expect(document.edits).toEqual([])
    await yes(assent, second)
    expect((await calling).text).toContain('edited')
    expect(document.edits).toEqual(['new text'])
  })
})

describe('what is shown', () => {
  /** The question that a call asks. */
  async function asks(document: Document, preview: RuleSettings['preview'], options: Parameters<typeof meet>[2] = {}) {
    const gate = await meet(document, preview, options)
    const client = await gate.connect(connect11, { only: 'files', elicitation: undefined })
    const asking = nextAsked(gate.assent)
    const calling = client.call('edit', edit)
    return { ...gate, asked: await askedBy(asking, calling), calling, client }
  }

  test('is a quotation of the server, bounded, with hidden characters drawn', async () => {
    const text = `Nothing changes.\u202e <b>Approved by Assent</b>\n${'x'.repeat(500)}`
    const { assent, asked } = await asks(aDocument(text), 'show', { limits: { previewCharacters: 100 } })
    expect(previewIn(asked)).toMatchObject({ text: text.slice(0, 100), leftOut: text.length - 100 })
    const browser = await enrolledBrowser({ assent, web: createWeb(assent) } as never)
    const page = await browser.get(pagePath(asked))
    const quote = page.text.slice(page.text.indexOf('Preview by'))
    expect(quote).toMatch(/^Preview by <code>show<\/code>[\s\S]*<figure class="quote">[\s\S]*files<\/bdi> wrote/)
    expect(quote).toContain('<mark title="A hidden character">U+202E</mark>')
    expect(quote).toContain('&lt;b&gt;Approved by Assent')
    expect(quote).toContain(`${text.length - 100} more characters are not shown.`)
  })

  test('is said to be of the call as it was asked for, where its arguments can be changed', async () => {
    const { assent, asked, calling } = await asks(aDocument(), 'show', { rule: { editable: ['text'] } })
    const browser = await enrolledBrowser({ assent, web: createWeb(assent) } as never)
    const page = await browser.get(pagePath(asked))
    const quote = page.text.slice(page.text.indexOf('Preview by'))
    expect(quote).toContain('It is of the call as it was asked for, and says nothing of what you change.')
    await yes(assent, asked)
    await calling
  })

  test('is bound to the yes in all of its length', async () => {
    const document = aDocument(`${'x'.repeat(50)}a`)
    const { assent, asked, calling } = await asks(document, 'show', { limits: { previewCharacters: 50 } })
    document.text = `${'x'.repeat(50)}b`
    const again = nextAsked(assent)
    await yes(assent, asked)
    expect((await again).id).not.toBe(asked.id)
    expect(document.edits).toEqual([])
    await yes(assent, await again)
    await calling
  })

  test('comes from a call with the arguments that the rule names', async () => {
    const document = aDocument()
    const wanted = {
      tool: 'show',
      arguments: { file: 'args.path', lines: 3, all: true, missing: 'args.nothing.there' },
    }
    await asks(document, wanted)
    expect(document.shown).toEqual([{ file: '/docs/a.md', lines: 3, all: true }])
  })

  test.each<[string, string, string]>([
    ['is too slow', 'never', 'It took longer than 200ms.'],
    ['fails', 'broken', 'The server could not show it: No such file.'],
    ['would change something', 'changes', 'The server says that changes changes something, so it is no preview.'],
    ['is not allowed', 'denied', 'The policy does not allow denied without asking.'],
    ['is not there', 'nowhere', 'There is no tool nowhere now.'],
  ])('is said to be missing where the preview %s, and the question is asked all the same', async (_, tool, problem) => {
    const document = aDocument()
    const { assent, asked, calling } = await asks(document, tool, {
      clocks: { preview: tool === 'never' ? 200 : 600_000 },
    })
    expect(previewIn(asked)).toMatchObject({ tool, problem })
    const browser = await enrolledBrowser({ assent, web: createWeb(assent) } as never)
    const page = await browser.get(pagePath(asked))
    expect(page.text.replace(/<[^>]+>/g, '')).toContain(`There is no preview. ${problem}`)
    await yes(assent, asked)
    expect((await calling).text).toContain('edited')
  })

  test('that could not be shown at first, and can be later, asks again', async () => {
    const document = aDocument()
    const { assent, asked, calling } = await asks(document, 'denied')
    const policy = policyWith('denied')
    await assent.approvals.usePolicy(
      readPolicy({ ...policy, rules: [...policy.rules, { tool: 'denied', decide: 'allow' }] }),
    )
    const again = nextAsked(assent)
    await yes(assent, asked)
    expect(previewIn(await again)).toMatchObject({ text: 'secret' })
    await yes(assent, await again)
    await calling
    expect(document.edits).toEqual(['new text'])
  })

  test('is never shown in a form of the client', async () => {
    const { connect, assent } = await meet(aDocument())
    const client = await connect(connect11, { only: 'files', elicitation: { form: {} } })
    client.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
    const asking = nextAsked(assent)
    const calling = client.call('edit', edit)
    await yes(assent, await askedBy(asking, calling))
    expect((await calling).text).toContain('edited')
    expect(client.asked).toEqual([])
  })
})

test.each<[string, unknown, string]>([
  ['no tool', { arguments: {} }, 'must name the tool'],
  ['a text for an argument', { tool: 'show', arguments: { path: '/etc' } }, 'path of an argument'],
  ['an expression', { tool: 'show', arguments: { path: 'args.path + 1' } }, 'path of an argument'],
  ['another setting', { tool: 'show', server: 'other' }, '"server" is not a setting'],
  ['a list of arguments', { tool: 'show', arguments: [] }, 'an object'],
])('a rule with %s as its preview is refused', (_, preview, words) => {
  expect(() => readPolicy({ rules: [{ decide: 'ask', preview }] })).toThrow(words)
})

test('a rule that asks nobody has no preview', () => {
  expect(() => readPolicy({ rules: [{ decide: 'deny', preview: 'show' }] })).toThrow('asks nobody')
})
