import { editPrefix } from '../../approval/question/choice-form.ts'
import { type Choice, choiceText, choiceWords, isYes } from '../../approval/question/choices.ts'
import { applyEdits, type Change } from '../../approval/question/edit.ts'
import { editsIn, formNow, jsonPrefix, seenNow } from '../../approval/question/page-form.ts'
import { standingWords } from '../../approval/question/voting-words.ts'
import type { Assent } from '../../assent.ts'
import { nameText } from '../../base/text/names.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { askField } from '../../client/terminal/ask-field.ts'
import { arrowTexts, choose } from '../../client/terminal/choose.ts'
import type { Dialogue } from '../../client/terminal/dialogue.ts'
import type { Screen } from '../../client/terminal/screen.ts'
import type { Answered } from '../../elicitation/answering/answered.ts'
import { delegateChoice, delegateField } from '../../elicitation/answering/may-answer.ts'
import type { Answer } from '../../elicitation/elicitation.ts'
import type { Content, Field, FieldValue } from '../../elicitation/form/schema.ts'
import { localParticipant } from '../../participant/participant.ts'
import { atTerminal, type InboxItem } from './read.ts'
import { showChanges, signedOnPage } from './show.ts'

/** How the person left a question. */
export type Outcome = 'answered' | 'skipped' | 'marked' | 'quit'

type Approval = NonNullable<InboxItem['approval']>

/** An approver at the terminal, and the call that they decide on. */
interface Work {
  readonly assent: Assent
  readonly dialogue: Dialogue
  readonly screen: Screen
  readonly one: InboxItem
  readonly approval: Approval
  /** Whether it can be answered later, together with others. */
  readonly mayMark: boolean
}

/** Asks until the person answers or leaves. Enter alone is no answer: silence is never consent. */
export async function answerApproval(work: Work): Promise<Outcome> {
  const { dialogue, screen, approval, one } = work
  const { choices } = approval
  const lasting = (kind: Choice['kind']) => choices.filter((choice) => choice.kind === kind)
  const fields = editableFields(one)
  let edits: Content | undefined
  for (;;) {
    screen.print(menu(work, lasting, fields.length > 0), { style: 'dim' })
    const said = await dialogue.ask('› ')
    if (said.kind === 'exit' && said.action === 'cancel') return 'quit'
    const word = said.kind === 'text' ? said.text.toLowerCase() : said.kind === 'exit' ? 'deny' : `:${said.name}`
    const choice = await chosen(word, work, lasting)
    if (choice === 'skip') return 'skipped'
    if (choice === 'quit') return 'quit'
    if (choice === 'mark' && work.mayMark) return 'marked'
    if (choice === 'hand-on' && mayHandOn(approval)) {
      if (await handOn(work)) return 'answered'
    } else if (choice === 'edit' && fields.length > 0) edits = (await edited(work, fields, edits)) ?? edits
    else if (typeof choice === 'object' && isYes(choice) && one.asked.answerers.through === 'passkey') {
      screen.print(`✗ ${signedOnPage}`)
    } else if (typeof choice === 'object') {
      if (await give(work, choice, edits)) return 'answered'
    } else if (choice !== 'back') {
      screen.print(
        word === '' ? '✗ You have not answered yet.' : `✗ ${visibleLine(word, 40)} is not one of the choices.`,
      )
    }
  }
}

function menu({ approval, mayMark }: Work, lasting: (kind: Choice['kind']) => Choice[], mayEdit: boolean): string {
  return [
    'a allow once',
    ...(lasting('always_allow').length > 0 ? ['l allow for longer…'] : []),
    ...(mayEdit ? ['e edit'] : []),
    'd deny',
    ...(lasting('always_deny').length > 0 ? ['n never…'] : []),
    ...(mayHandOn(approval) ? ['h hand on…'] : []),
    ...(mayMark ? ['m mark, to answer several together'] : []),
    's skip',
    'q quit',
  ].join(' · ')
}

async function chosen(
  word: string,
  work: Work,
  lasting: (kind: Choice['kind']) => Choice[],
): Promise<Choice | 'edit' | 'hand-on' | 'mark' | 'skip' | 'quit' | 'back' | undefined> {
  switch (word) {
    case 'a':
    case 'allow':
      return { kind: 'allow_once' }
    case 'd':
    case 'deny':
      return { kind: 'deny' }
    case 'l':
    case 'longer':
      return oneOf(work, lasting('always_allow'))
    case 'n':
    case 'never':
      return oneOf(work, lasting('always_deny'))
    case 'e':
    case 'edit':
      return 'edit'
    case 'h':
    case 'hand on':
      return 'hand-on'
    case 'm':
    case 'mark':
      return 'mark'
    case 's':
    case 'skip':
      return 'skip'
    case 'q':
    case 'quit':
      return 'quit'
    default:
      return undefined
  }
}

/** Asks for one of several lasting choices. Enter goes back. */
async function oneOf({ dialogue, screen, approval }: Work, choices: readonly Choice[]): Promise<Choice | 'back'> {
  const isOwn = approval.call.requester.participant === localParticipant
  const options = choices.map((choice) => ({
    const: choiceText(choice),
    title: choiceWords(choice, approval.call, isOwn),
  }))
  options.forEach(({ title }, index) => {
    screen.print(title, { indent: `  ${String(index + 1).padStart(2)}. ` })
  })
  for (;;) {
    const said = await dialogue.ask('Which? (Enter goes back) › ', arrowTexts(options))
    if (said.kind !== 'text' || said.text === '') return 'back'
    const found = choose(options, said.text)
    if (found.kind === 'chosen') return choices.find((choice) => choiceText(choice) === found.value) as Choice
    screen.print(`✗ ${found.problem}`)
  }
}

/** The fields of the form for arguments that the rule lets the approver change. */
function editableFields({ asked }: InboxItem): [string, Field][] {
  const { schema } = asked.question
  // As it would run now: another approver may have changed it.
  const properties = schema === undefined ? {} : formNow(asked, schema).properties
  return Object.entries(properties).flatMap(([key, field]): [string, Field][] => {
    const prefix = [editPrefix, jsonPrefix].find((one) => key.startsWith(one))
    // By the argument's name: a server's title must not mislead a person about what they change.
    return prefix === undefined ? [] : [[key, { ...field, title: key.slice(prefix.length) }]]
  })
}

async function edited(
  { dialogue, screen, one, approval }: Work,
  fields: readonly (readonly [string, Field])[],
  before: Content = {},
): Promise<Content | undefined> {
  const required = new Set(one.asked.question.schema?.required)
  const values = new Map<string, FieldValue>(Object.entries(before))
  for (const [index, [name, field]] of fields.entries()) {
    const reply = await askField(dialogue, screen, {
      name,
      field,
      required: required.has(name),
      place: `${index + 1} of ${fields.length}`,
      current: values.get(name) ?? field.default,
      problem: undefined,
    })
    if (reply.kind === 'exit') return undefined
    if (reply.value === undefined) values.delete(name)
    else values.set(name, reply.value as FieldValue)
  }
  const content = Object.fromEntries(values)
  showChanges(screen, changesBy(approval, content))
  return content
}

function changesBy({ call, decision }: Approval, content: Content): readonly Change[] {
  const { edits } = editsIn(content, decision.editable)
  // The tool's schema is checked when the answer is sent, so nothing is validated here.
  const result = applyEdits({ ...call, inputSchema: call.inputSchema ?? {} }, decision.editable, edits, () => [])
  return result.kind === 'edited' ? result.changes : []
}

/** Sends the answer. Returns false when it was refused and the question is still open. */
async function give(
  { assent, dialogue, screen, one, approval }: Work,
  choice: Choice,
  edits: Content | undefined,
): Promise<boolean> {
  const reason = isYes(choice) ? '' : await reasonFrom(dialogue)
  if (reason === undefined) return false
  const answered = await answerWith(assent, one, choice, { ...(edits && { edits }), ...(reason !== '' && { reason }) })
  if (answered.kind === 'invalid') {
    for (const { message } of answered.errors) screen.print(`✗ ${visibleLine(message, 1_000)}`)
    return false
  }
  screen.print(`${answered.kind === 'kept' ? '✓' : '✗'} ${answeredWords(answered, choice, approval)}`)
  return true
}

const mayHandOn = ({ choices }: Approval) => choices.some(({ kind }) => kind === 'delegate')

/** Asks to whom the question goes. Enter goes back. Returns false when it stays with this person. */
async function handOn({ assent, dialogue, screen, one, approval }: Work): Promise<boolean> {
  const { delegate } = approval.decision
  const names = delegate === undefined || delegate === true ? [] : delegate
  if (names.length > 0) screen.print(`It can be handed to ${names.map(nameText).join(', ')}.`, { indent: '  ' })
  for (;;) {
    const said = await dialogue.ask('To whom, as subject@issuer or group:name? (Enter goes back) › ', names)
    if (said.kind !== 'text' || said.text.trim() === '') return false
    const answered = await delegateTo(assent, one, said.text.trim())
    if (answered.kind !== 'invalid') {
      screen.print(
        `${answered.kind === 'delegated' ? '✓' : '✗'} ${answeredWords(answered, { kind: 'delegate' }, approval)}`,
      )
      return true
    }
    for (const { message } of answered.errors) screen.print(`✗ ${visibleLine(message, 1_000)}`)
  }
}

/** Hands a question on from the terminal. */
export function delegateTo(assent: Assent, { asked }: InboxItem, to: string): Promise<Answered> {
  const content = { choice: delegateChoice, [delegateField]: to }
  return assent.answer(asked.id, atTerminal, { action: 'accept', content })
}

async function reasonFrom(dialogue: Dialogue): Promise<string | undefined> {
  const said = await dialogue.ask('Reason, which the requester will see (Enter for none) › ')
  if (said.kind === 'text') return said.text
  return said.kind === 'exit' && said.action === 'cancel' ? undefined : ''
}

/** Answers an approval from the terminal. Without `edits`, arguments are sent as they would run now. */
export function answerWith(
  assent: Assent,
  { asked }: InboxItem,
  choice: Choice,
  { edits, reason }: { readonly edits?: Content; readonly reason?: string } = {},
): Promise<Answered> {
  const { schema } = asked.question
  const given = Object.entries((schema && formNow(asked, schema).properties) ?? {})
    .filter(([name, { default: value }]) => name.startsWith(editPrefix) && value !== undefined)
    .map(([name, { default: value }]) => [name, value as FieldValue])
  const content = {
    // A field that was emptied must not come back as another approver filled it in.
    ...(edits ?? { ...Object.fromEntries(given), ...asked.voting?.edit?.content }),
    choice: choiceText(choice),
    ...(reason !== undefined && { reason }),
  }
  const answer: Answer = { action: 'accept', content }
  return assent.answer(asked.id, { ...atTerminal, ...seenNow(asked) }, answer)
}

/** What became of an answer, for the person who gave it. */
export function answeredWords(
  answered: Exclude<Answered, { kind: 'invalid' }>,
  choice: Choice,
  { call }: Pick<Approval, 'call'>,
): string {
  if (answered.kind === 'late')
    return `The question was already settled (${answered.elicitation.state.kind}), so your answer did not count.`
  if (answered.kind === 'counted') return ['Your yes counts.', ...standingWords(answered.elicitation)].join(' ')
  if (answered.kind === 'delegated') {
    const to = answered.elicitation.voting?.delegations.findLast(({ from }) => from === localParticipant)?.to
    return `It was handed on to ${nameText(to ?? 'somebody else')}. It is not yours to answer any more.`
  }
  const isOwn = call.requester.participant === localParticipant
  return `Your answer is saved: ${choiceWords(choice, call, isOwn)}.`
}
