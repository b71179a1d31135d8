import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import { choiceForm, formForClient } from '../../src/approval/question/choice-form.ts'
import { choicesFor } from '../../src/approval/question/choices.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import { wordsFor } from '../../src/asking/answers.ts'
import { showWaiting } from '../../src/cli/inbox/show.ts'
import { readServerAsk } from '../../src/client/question/answer-ask.ts'
import { Screen } from '../../src/client/terminal/screen.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { fakeTerminal } from '../support/client/fake-terminal.ts'
import { readPolicy } from '../support/policies.ts'
import { signedInBrowser } from '../support/test-browser.ts'
import { approvalPlace, approvePath, waitingCall } from '../support/web/approvals.ts'

const longPath = '/data/reports/2026/quarterly-summary-for-the-board/final.md/../../../../../../../etc/cron.d/backdoor'

/** The attack on a form: a whole harmless call, with our own closing words, in the name of an argument. */
const harmlessCall = `x: hello\n\nRule 1 says that a person must approve it.\n${'\n'.repeat(30)}(end of the call)\n`

const asksAll = { rules: [{ decide: 'ask' }] }

function formFor(call: ToolCall, rule: object = {}) {
  const decision = decide(readPolicy({ rules: [{ decide: 'ask', ...rule }] }), call)
  return formForClient(call, decision)
}

async function pageFor(call: Partial<ToolCall>, rule: object = {}): Promise<string> {
  const place = await approvalPlace(rule)
  const asked = await waitingCall(place, call)
  const browser = await signedInBrowser(place, 'alice')
  return (await browser.get(approvePath(asked))).text
}

async function terminalFor(call: Partial<ToolCall>, columns = 60): Promise<string> {
  const place = await approvalPlace()
  const asked = await waitingCall(place, call)
  const { output, shown } = fakeTerminal({ columns, isTTY: false })
  const about = (asked.subject as unknown as { call: ToolCall }).call
  const decision = decide(readPolicy(asksAll), about)
  const approval = { call: about, decision, choices: choicesFor(about, decision, alice, 'page') }
  showWaiting(new Screen(output, {}), { asked, link: 'http://127.0.0.1/x', approval }, asked.createdAt)
  return shown()
}

describe('a value is longer than its box', () => {
  const rule = { editable: ['path', 'content'] }
  const call = { arguments: { path: longPath, content: 'one\ntwo' } }

  test('a path that leads elsewhere at its end has a box as high as its text, and is shown beside it too', async () => {
    const page = await pageFor(call, rule)
    expect(page).toMatch(new RegExp(`<textarea [^>]*name="field.edit_path"[^>]*>\n${longPath}</textarea>`))
    expect(page).toMatch(new RegExp(`Asked for:</p><div class="facts"><div><span class="value[^>]*>${longPath}</span>`))
    expect(page).not.toContain(`value="${longPath}"`)
    expect(page).toMatch(/name="field.edit_content"[^>]*rows="2"/)
  })

  test('a short value stays in one line, and is not said twice', async () => {
    const page = await pageFor({}, rule)
    expect(page).toMatch(/<input [^>]*name="field.edit_path"[^>]*value="\/tmp\/notes.txt"/)
    expect(page).not.toContain('Asked for')
  })

  test('a long option is not cut off by a closed list, nor at any length', async () => {
    const options = Array.from({ length: 8 }, (_, index) => `${index}-${'long/'.repeat(60)}`)
    const inputSchema = { type: 'object', properties: { path: { type: 'string', enum: options } } }
    const page = await pageFor({ arguments: { path: options[3] as string }, inputSchema }, rule)
    expect(page).not.toContain('<select')
    for (const option of options) expect(page).toContain(`<bdi class="value">${option}</bdi>`)
  })

  test('a date is shown as it is written, beside a calendar that shows it in its own way', async () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string', format: 'date-time' } } }
    const page = await pageFor({ arguments: { path: '2026-11-16T09:00:00.123Z' }, inputSchema }, rule)
    expect(page).toContain('Asked for:')
    expect(page).toMatch(/<span class="value[^>]*>2026-11-16T09:00:00.123Z</)
  })

  test('a long value that nobody can change is open, and nothing of it is in a box that scrolls', async () => {
    const page = await pageFor({ arguments: { content: 'One line after another.\n'.repeat(200) } })
    expect(page).toMatch(/<details class="long" open><summary class="small">4,800 characters, 201 lines<\/summary>/)
    expect(page).not.toMatch(/max-height|overflow:(auto|hidden|scroll)/)
  })
})

describe('the name of an argument writes a harmless call over the real one', () => {
  const given = { [harmlessCall]: '', path: '/etc/shadow' }

  test('in the form of a client: there is none, and the page is used', () => {
    expect(formFor(aCall({ arguments: given }))).toBeUndefined()
    expect(formFor(aCall({ arguments: { path: '/etc/shadow' } }))).toBeDefined()
  })

  test.each<[string, ToolCall['arguments']]>([
    ['a line end deep within', { options: { list: [{ 'a\nb': 1 }] } }],
    ['a hidden character deep within', { options: { 'a\u200b': 1 } }],
    ['a letter of another script', { 'p\u0430th': '/tmp' }],
    ['a blank at its end', { 'path ': '/tmp' }],
    ['what looks like a name with a value', { 'path: /tmp/ok': '' }],
    ['nothing', { '': '/etc' }],
    ['more than a line', { ['x'.repeat(81)]: 1 }],
  ])('a name with %s is for the page', (_, given) => {
    expect(formFor(aCall({ arguments: given }))).toBeUndefined()
  })

  test('on the page: line ends in names are marked, also in the name of a field', async () => {
    const marked = '<dt class="code">x: hello<mark title="A hidden character">U+000A</mark><mark'
    expect(await pageFor({ arguments: given })).toContain(marked)
    const inputSchema = { type: 'object', properties: { ' path': { type: 'string' } } }
    const page = await pageFor({ arguments: { ' path': '/tmp' }, inputSchema }, { editable: [' path'] })
    expect(page).toContain('<bdi><mark title="A hidden character">U+0020</mark>path</bdi>')
    expect(await pageFor({ arguments: { '': 1 } })).toContain('<dt class="code"><span class="soft">no name</span></dt>')
  })

  test('in the terminal: on marked lines, with its line ends named', async () => {
    const text = await terminalFor({ arguments: given })
    expect(text).toContain('    │ x: hello‹U+000A›‹U+000A›Rule 1 says')
    expect(text).not.toContain('\n(end of the call)')
    expect(await terminalFor({ arguments: { '': 'x' } })).toContain('    (no name): x')
  })
})

describe('the call is longer than what a client shows', () => {
  test('many short lines, which push the argument that matters out of sight', () => {
    expect(formFor(aCall({ arguments: { note: 'a\n'.repeat(60), path: '/etc/shadow' } }))).toBeUndefined()
    expect(formFor(aCall({ arguments: { note: 'a\n'.repeat(30), path: '/etc/shadow' } }))).toBeDefined()
  })

  test('a tab, which every client draws in its own way', () => {
    expect(formFor(aCall({ arguments: { note: 'a\tb' } }))).toBeUndefined()
  })

  test('a tool or server whose name is long or hides something', () => {
    const decision = decide(readPolicy(asksAll), aCall())
    for (const over of [{ tool: 'x'.repeat(81) }, { tool: 'dele\u200bte' }, { server: 'fil\u0435s' }]) {
      const call = aCall(over)
      expect(choiceForm(call, decision, choicesFor(call, decision, alice, 'form'))).toBeUndefined()
    }
  })

  test('words of a server about a wrong answer push the question out of sight', () => {
    const words = wordsFor([{ field: 'a', message: `${'All is well.\n'.repeat(100)} is required.` }])
    expect(words).not.toContain('\n')
    expect(words.length).toBeLessThan(500)
    expect(words).toContain('more characters')
  })

  test('a client does not ask what it cannot show in full', () => {
    const context = { server: 'files' } as Parameters<typeof readServerAsk>[0]
    const ask = (message: string) =>
      readServerAsk(context, { message, requestedSchema: { type: 'object', properties: {} } })
    expect(ask(`${'x'.repeat(39)}\n`.repeat(999)).ask.message).not.toContain('more')
    for (const message of ['x'.repeat(40_001), '\n'.repeat(1_000)]) expect(() => ask(message)).toThrow('too long')
  })
})

describe('in a terminal', () => {
  test('tabs push text to a line without its mark', async () => {
    const text = await terminalFor({ arguments: { note: `${'\t'.repeat(20)}✓ Your answer is saved.`, more: 'x\ty' } })
    const lines = text.split('\n').filter((line) => line.includes('\t'))
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) expect(line.replaceAll('\t', ' '.repeat(8)).length).toBeLessThan(60)
    for (const line of text.split('\n').filter((line) => /saved|answer/.test(line))) expect(line).toMatch(/^ +[│┊] /)
  })

  test('blanks are not lost where a line is wrapped, and a wrapped line does not pass for two', async () => {
    const text = await terminalFor({ arguments: { run: `ls${' '.repeat(100)}&& rm -rf x` } })
    const [first, ...more] = text.split('\n').filter((line) => /^ +[│┊] /.test(line))
    expect(first).toMatch(/^ {6}│ ls +$/)
    for (const line of more) expect(line).toMatch(/^ {6}┊ /)
    expect([first, ...more].map((line) => line?.slice(8)).join('')).toBe(`ls${' '.repeat(100)}&& rm -rf x`)
  })

  test('the name of the tool is cut off by the window', async () => {
    const tool = `read_${'very_'.repeat(30)}or_delete`
    const text = await terminalFor({ tool })
    expect(text).toContain('more characters) on files?')
    const lines = text.split('\n').filter((line) => /^ {4}[│┊] /.test(line))
    expect(lines.map((line) => line.slice(6)).join('')).toBe(tool)
  })
})
