import { commandsIn } from '../../approval/command/command-parts.ts'
import { grantIdFor } from '../../approval/grant/grant-from.ts'
import { approvalWords, editPrefix } from '../../approval/question/choice-form.ts'
import { type Choice, choicesFor, choiceText, choiceWords, isYes, readChoice } from '../../approval/question/choices.ts'
import { applyEdits } from '../../approval/question/edit.ts'
import { callNow, editsIn, formNow, jsonPrefix, shownNow } from '../../approval/question/page-form.ts'
import { previewNote } from '../../approval/question/preview.ts'
import type { ApprovalSubject } from '../../approval/question/subject.ts'
import { approvalIn, isFirstAsked } from '../../approval/question/subject.ts'
import { doneWords, votingWords } from '../../approval/question/voting-words.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import type { Json } from '../../base/json.ts'
import { cannotTellApart } from '../../base/text/names.ts'
import { isInPlainSight } from '../../base/text/show-text.ts'
import { type Answerer, groupPrefix, isGroup } from '../../elicitation/answering/answerers.ts'
import { delegateField } from '../../elicitation/answering/may-answer.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { isChoice, optionsOf } from '../../elicitation/form/options.ts'
import type { Field, FormSchema } from '../../elicitation/form/schema.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import { delegationProblem } from '../../elicitation/voting/delegate.ts'
import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { namedClient } from '../../participant/requester.ts'
import {
  type ApprovalEnd,
  type ApprovalPageProps,
  type AskedFacts,
  denialField,
  type EditableField,
  postedName,
  type SuggestedName,
  type VotingProps,
} from '../pages/props.ts'
import { personName } from '../viewer/person-name.ts'
import { typedIn } from './posted-answer.ts'

/** A posted answer that was not accepted, and what is wrong with it. */
export interface RefusedPost {
  readonly form: FormData
  readonly errors: readonly FieldError[]
}

/** What the page of an approval shows this approver; undefined for any other question. */
export function approvalProps(
  asked: Elicitation,
  viewer: Person,
  facts: AskedFacts,
  refused?: RefusedPost,
  seen: readonly Person[] = [],
): ApprovalPageProps | undefined {
  const about = approvalIn(asked)
  const { schema: form } = asked.question
  if (about === undefined || form === undefined) return undefined
  const schema = formNow(asked, form)
  const { decision } = about
  const call = callNow(asked, about)
  const commands = commandsIn(call)
  const ofWhat = previewNote(asked, decision)
  const mayLast = isFirstAsked(asked, decision, viewer)
  const offered = choicesFor(call, decision, viewer.participant, 'page').filter(
    ({ kind }) => mayLast || kind !== 'always_allow',
  )
  const say = (choice: Choice) => offeredChoice(choice, about, viewer)
  const editable = editableOf(schema, about)
  const note = cannotTellApart(namedClient(call.requester).known)
  const names = new Set(editable.map(({ name }) => name))
  return {
    asked: { ...facts, message: serverWords(asked, about) },
    shown: shownNow(asked),
    call,
    why: decision.why,
    ...(commands !== undefined && { commands }),
    ...(decision.preview !== undefined && {
      preview: { ...decision.preview, ...(ofWhat !== undefined && { note: ofWhat }) },
    }),
    isDestructive: isDestructive(call),
    fixed: Object.fromEntries(Object.entries(call.arguments).filter(([name]) => !names.has(name))),
    editable: editable.map(({ field, asked }) => ({ field, ...(asked !== undefined && { asked }) })),
    schema: withArgumentNames(schema),
    ...(refused && { typed: typedIn(refused.form, schema) }),
    offered: offered.filter(isYes).map(say),
    chosen: textIn(refused, postedName('choice')) || 'allow_once',
    ...(note !== undefined && { note }),
    denials: offered.filter(({ kind }) => kind === 'always_deny').map(say),
    denial: textIn(refused, denialField),
    reason: textIn(refused, postedName('reason')),
    errors: refused?.errors ?? [],
    voting: votingProps(asked, viewer, textIn(refused, postedName(delegateField)), seen),
  }
}

function votingProps(asked: Elicitation, viewer: Person, typed: string, seen: readonly Person[]): VotingProps {
  const done = doneWords(asked, viewer)
  const mayDelegate = asked.answerers.delegate !== undefined && done === undefined
  return {
    lines: votingWords(asked, (name) => (name === viewer.participant ? 'you' : personName(name as ParticipantId))),
    version: String(asked.version),
    ...(done !== undefined && { done }),
    ...(mayDelegate && { delegate: { typed, suggested: suggestedFor(asked, viewer, seen) } }),
  }
}

const mostSuggested = 50

/** To whom this viewer could hand it on, of those who are known: names in the rule, groups of the login, people seen before. */
function suggestedFor(asked: Elicitation, viewer: Person, seen: readonly Person[]): SuggestedName[] {
  const { delegate } = asked.answerers
  const groups = [viewer, ...seen].flatMap((person) => person.groups).map((group) => `${groupPrefix}${group}` as const)
  const people = new Map(seen.map((person) => [person.participant as Answerer, person]))
  const names = new Set<Answerer>([...(delegate === true ? [] : (delegate ?? [])), ...groups, ...people.keys()])
  return [...names]
    .filter((name) => delegationProblem(asked, viewer, name, people.get(name)) === undefined)
    .slice(0, mostSuggested)
    .map((name) => ({ name, words: isGroup(name) ? 'anyone in this group' : personName(name as ParticipantId) }))
}

/** Whether the server says that the tool may delete or overwrite. */
export function isDestructive({ annotations }: ToolCall): boolean {
  return annotations?.destructiveHint === true && annotations.readOnlyHint !== true
}

/** The choice of an answered approval, and what it means; undefined where nobody made a choice. */
export function approvalEnd(asked: Elicitation, viewer: Person): ApprovalEnd | undefined {
  const about = approvalIn(asked)
  const { state } = asked
  if (about === undefined || state.kind !== 'answered' || state.answer.action !== 'accept') return undefined
  const { call, decision } = about
  const content = 'content' in state.answer ? (state.answer.content ?? {}) : {}
  const choice = readChoice(content, choicesFor(call, decision, state.by.participant, 'page')) ?? { kind: 'deny' }
  const { server, tool, requester } = call
  const isTheirs = viewer.participant === requester.participant || viewer.participant === state.by.participant
  const id = encodeURIComponent(grantIdFor(asked.id))
  return {
    effect: isYes(choice) ? 'allow' : 'deny',
    server,
    tool,
    changes: isYes(choice) ? changesIn(content, about) : [],
    ...('scope' in choice && {
      words: `${choiceWords(choice, call, viewer.participant === requester.participant)}.`,
      ...(isTheirs && { grant: { href: '/grants', revokeAction: `/grants/${id}/revoke` } }),
    }),
  }
}

/** What the server wrote; empty where the message is Assent's own, which is not shown as a quotation. */
export function serverWords({ question: { message } }: Elicitation, { call }: ApprovalSubject): string {
  return message === approvalWords(call) ? '' : message
}

function changesIn(content: Parameters<typeof editsIn>[0], { call, decision }: ApprovalSubject) {
  const edited = applyEdits(call, decision.editable, editsIn(content, decision.editable).edits, () => [])
  return edited.kind === 'edited' ? edited.changes : []
}

function offeredChoice(choice: Choice, { call }: ApprovalSubject, viewer: Person) {
  const words = choice.kind === 'allow_once' ? 'Only this call' : choiceWords(choice, call, isOwn(call, viewer))
  return { value: choiceText(choice), words }
}

const isOwn = ({ requester }: ApprovalSubject['call'], { participant }: Person) => requester.participant === participant

interface Editable extends EditableField {
  readonly name: string
}

/** The fields of the form that edit arguments. */
function editableOf({ properties }: FormSchema, { call, decision }: ApprovalSubject): Editable[] {
  return decision.editable.flatMap((name): Editable[] => {
    const field = [editPrefix, jsonPrefix].map((prefix) => prefix + name).find((key) => Object.hasOwn(properties, key))
    if (field === undefined) return []
    const value = Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined
    if (value === undefined) return [{ name, field }]
    const isHidden = !isInPlainSight(value)
    const isAlsoShown = isHidden || isLong(value) || isPicked(properties[field])
    return [{ name, field, ...(isAlsoShown && { asked: { name, isHidden } }) }]
  })
}

/** Longer values are shown beside their field too, so that a person sees what was asked for while they change it. */
const longest = 40

function isLong(value: Json): boolean {
  if (typeof value === 'string') return value.length > longest || /[\n\t]/.test(value)
  return JSON.stringify(value).length > longest
}

/** Whether the field is a calendar, which shows dates in its own way. */
function isPicked(field: Field | undefined): boolean {
  return field !== undefined && 'format' in field && (field.format === 'date' || field.format === 'date-time')
}

/** The form with arguments titled by their names: a server's titles must not mislead a person about what they allow. */
function withArgumentNames({ properties, required = [], ...schema }: FormSchema): FormSchema {
  const fields = Object.entries(properties).map(([key, field]) => {
    if (key === 'reason') return [key, { type: 'string', title: 'Reason' } as Field] as const
    const name = nameOf(key)
    return [key, name === undefined ? field : ({ ...bare(field), title: name } as Field)] as const
  })
  return {
    ...schema,
    properties: Object.fromEntries(fields),
    // An argument given as empty text may stay empty; `required` would make the browser refuse to send it.
    required: required.filter((key) => properties[key]?.default !== ''),
  }
}

function nameOf(key: string): string | undefined {
  const prefix = [editPrefix, jsonPrefix].find((one) => key.startsWith(one))
  return prefix === undefined ? undefined : key.slice(prefix.length)
}

function bare(field: Field): object {
  const { title: _, description: __, ...rest } = field
  // A checkbox has no third state: an argument that was not given would be posted as false.
  if (field.type === 'boolean' && field.default === undefined) return { type: 'string', enum: ['true', 'false'] }
  if (!isChoice(field)) return rest
  const values = optionsOf(field).map((option) => option.const)
  const value = field.default === undefined ? {} : { default: field.default }
  if (field.type === 'array') return { ...rest, items: { type: 'string', enum: values } }
  return { type: 'string', enum: values, ...value }
}

function textIn(refused: RefusedPost | undefined, name: string): string {
  const value = refused?.form.get(name)
  return typeof value === 'string' ? value : ''
}
