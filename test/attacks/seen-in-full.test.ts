import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import type { Decision } from '../../src/approval/policy/policy.ts'
import { formForClient } from '../../src/approval/question/choice-form.ts'
import { choicesFor } from '../../src/approval/question/choices.ts'
import { pageForm } from '../../src/approval/question/page-form.ts'
import { subjectOf } from '../../src/approval/question/subject.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import type { Json } from '../../src/base/json.ts'
import { showWaiting } from '../../src/cli/inbox/show.ts'
import { visibleAsk } from '../../src/client/question/visible-ask.ts'
import { showAsker } from '../../src/client/terminal/asker.ts'
import { Screen } from '../../src/client/terminal/screen.ts'
import type { Elicitation, ElicitationId } from '../../src/elicitation/elicitation.ts'
import { rowOf } from '../../src/web/inbox/inbox-rows.ts'
import { rowAnswer, rowArguments } from '../../src/web/inbox/row-answer.ts'
import { inboxPage } from '../../src/web/pages/inbox/inbox-page.ts'
import { approvalPage } from '../../src/web/pages/question/approval-page.ts'
import { approvalProps } from '../../src/web/question/approval.ts'
import { questionFacts } from '../../src/web/question/question-page.ts'
import { alice } from '../support/approval/a-call.ts'
import { anyCall } from '../support/approval/any-call.ts'
import { readPage, readTerminal, unmarked } from '../support/approval/read-back.ts'
import { fakeTerminal } from '../support/client/fake-terminal.ts'
import { readPolicy } from '../support/policies.ts'
import { frame } from '../support/web/gallery-frame.ts'

const calls = 5_000
const viewer = { participant: alice, groups: [] }

/** The texts of a call that a person must be able to read: its tool, and the names and values of its arguments. */
function textsOf({ tool, arguments: given }: ToolCall): string[] {
  const texts = Object.entries(given).flatMap(([name, value]) => [name, valueText(value ?? null)])
  return [tool, ...texts]
}

/** Text as it is, all else as JSON: short on one line, else indented. */
function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** What of the call cannot be read in a text. JSON may stand on one line or on many. */
function missing(call: ToolCall, shown: string): string[] {
  const oneLine = new Map(
    Object.values(call.arguments).map((value = null) => [valueText(value), JSON.stringify(value)]),
  )
  return textsOf(call).filter((text) => !shown.includes(text) && !shown.includes(oneLine.get(text) ?? text))
}

function askedAbout(call: ToolCall, decision: Decision): Elicitation {
  const schema = pageForm(call, decision, choicesFor(call, decision, alice, 'page'))
  return {
    id: '0192' as ElicitationId,
    version: 1,
    question: { mode: 'url', url: 'http://127.0.0.1/', message: '', page: 'approve', schema },
    purpose: 'approval',
    origin: { server: call.server },
    requester: call.requester,
    answerers: { anyOf: decision.approvers, through: decision.answer },
    identity: 'one',
    metadata: {},
    subject: subjectOf({ call, decision }),
    createdAt: frame.now,
    expiresAt: new Date(frame.now.getTime() + 600_000),
    state: { kind: 'open' },
  } as Elicitation
}

function onPage(asked: Elicitation): string {
  const props = approvalProps(asked, viewer, questionFacts(asked, viewer, '/'))
  if (props === undefined) throw new Error('It is an approval.')
  return readPage(approvalPage(frame, props))
}

function inRow(asked: Elicitation, call: ToolCall) {
  const given = rowArguments(call)
  const answer = rowAnswer(asked, '/elicit/0192/approve')
  const row = { ...rowOf(asked, viewer), answer, ...(given && { arguments: given }) }
  const list = { groups: [{ asker: row.asker, rows: [row] }], total: 1, isFirst: true, here: '/inbox' }
  const text = readPage(inboxPage(frame, { ...list, isOver: false, isPaused: false }))
  return { text, canAllow: answer?.allow !== undefined, isListed: given !== undefined }
}

function inTerminal(columns: number, show: (screen: Screen) => void): string {
  const { output, shown } = fakeTerminal({ columns, isTTY: false })
  show(new Screen(output, {}))
  return readTerminal(shown())
}

test(`of ${calls.toLocaleString('en')} calls every character can be read wherever a yes can be given`, () => {
  const used = { form: 0, row: 0 }
  fc.assert(
    fc.property(anyCall, fc.integer({ min: 20, max: 120 }), ({ call, editable }, columns) => {
      const decision = decide(
        readPolicy({ rules: [{ decide: 'ask', ...(editable.length > 0 && { editable }) }] }),
        call,
      )
      const asked = askedAbout(call, decision)
      expect(missing(call, onPage(asked)), 'page').toEqual([])

      const row = inRow(asked, call)
      if (row.canAllow) used.row += 1
      if (row.canAllow || row.isListed) expect(missing(call, row.text), 'inbox').toEqual([])
      else expect(row.text).toContain('Open it to see all that would run.')

      const approval = { call, decision, choices: [] }
      const terminal = inTerminal(columns, (screen) =>
        showWaiting(screen, { asked, link: 'http://127.0.0.1/', approval }, frame.now),
      )
      expect(missing(call, terminal), 'terminal').toEqual([])

      const form = formForClient(call, decision)
      if (form === undefined) return
      used.form += 1
      expect(missing(call, unmarked(form.message.replaceAll('\n  ', '\n'))), 'form').toEqual([])
      const client = inTerminal(columns, (screen) =>
        showAsker(screen, visibleAsk({ server: 'gateway' }, form.message), 'asks'),
      )
      expect(missing(call, client.replaceAll('\n  ', '\n')), 'form in our own client').toEqual([])
    }),
    { seed: 16, numRuns: calls },
  )
  // Otherwise it would say nothing about forms and rows.
  expect(used.form).toBeGreaterThan(calls / 50)
  expect(used.row).toBeGreaterThan(calls / 50)
}, 300_000)
