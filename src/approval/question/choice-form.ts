import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts'
import { cannotTellApart, isShownAsItIs, nameText } from '../../base/text/names.ts'
import { isInPlainSight, showArguments, shownText } from '../../base/text/show-text.ts'
import { delegateField } from '../../elicitation/answering/may-answer.ts'
import { longestReason, reasonField } from '../../elicitation/elicitation.ts'
import { checkForm } from '../../elicitation/form/check.ts'
import type { Content, FormSchema } from '../../elicitation/form/schema.ts'
import { findSecretAsk } from '../../elicitation/form/secrets/secrets.ts'
import { namedClient } from '../../participant/requester.ts'
import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'
import { type Choice, choicesFor, choiceText, choiceTitle, choiceWords, coverWords } from './choices.ts'

/** Before the names of arguments in the form, so that none can be taken for the choice or the reason. */
export const editPrefix = 'edit_'

/**
 * The approval as a flat form in the requester's own client: the choice, and arguments where the rule lets the approver
 * edit them. Only the choice must be filled in. Undefined: the page must be used, for the rule says so, or the client could
 * not show what is asked as it is.
 */
export function choiceForm(call: ToolCall, decision: Decision, offered: readonly Choice[]): FormSchema | undefined {
  if (decision.answer !== 'client' || !decision.approvers.includes(call.requester.participant)) return undefined
  // The requester's own yes does not count towards a quorum. What a server shows is quoted on the page.
  if (decision.quorum !== undefined || decision.previewBy !== undefined) return undefined
  const fields = editFields(call, decision.editable)
  if (!isInPlainView(call) || fields === undefined) return undefined
  const options = offered.map((choice) => ({ const: choiceText(choice), title: choiceTitle(choice) }))
  const lasts = offered.some((choice) => 'scope' in choice)
  // No default: a form sent as it came must not be a yes.
  const choice = {
    type: 'string',
    title: 'Decision',
    ...(lasts && { description: coverWords(call) }),
    oneOf: options,
  }
  return checkedForm({ choice, ...delegateTo(offered), ...propertiesOf(fields) }, ['choice'], fields)
}

/** Whether the words of the form show the call as it is, and nothing in it could pass for words of Assent. */
function isInPlainView({ server, tool, arguments: given }: ToolCall): boolean {
  const entries = Object.entries(given)
  return (
    isInPlainSight(given) &&
    [server, tool, ...entries.map(([name]) => name)].every((name) => name !== '' && isShownAsItIs(name)) &&
    // A name that holds `: ` looks like a name with a value, and clients draw a tab as they like.
    !entries.some(([name, value]) => name.includes(': ') || (typeof value === 'string' && value.includes('\t')))
  )
}

/** The edits that an answer to the form makes: what is not among its fields is left out. */
export function readEdits(content: Content, editable: readonly string[]): JsonObject {
  const names = editable.filter((name) => Object.hasOwn(content, editPrefix + name))
  return Object.fromEntries(names.map((name) => [name, content[editPrefix + name] as Json]))
}

/** An editable argument as a field of a form. */
export interface EditField {
  readonly name: string
  readonly schema: JsonObject
  readonly isGiven: boolean
  /** Before its name in the form; left out, `editPrefix`. */
  readonly prefix?: string
}

const nameInForm = ({ name, prefix = editPrefix }: EditField) => prefix + name

/** Undefined: the tool describes one of them in no way that a form could follow. */
export function editFields(
  { inputSchema, arguments: given }: ToolCall,
  editable: readonly string[],
): EditField[] | undefined {
  const properties = isPlainObject(inputSchema?.properties) ? inputSchema.properties : {}
  const fields: EditField[] = []
  for (const name of editable) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    // What the tool does not describe, and the requester did not give, nobody misses.
    if (schema === undefined && value === undefined) continue
    if (!isPlainObject(schema)) return undefined
    const { default: _, ...field } = schema as JsonObject
    const title = typeof field.title === 'string' ? field.title : name
    fields.push({
      name,
      schema: { ...field, title, ...(value !== undefined && { default: value }) },
      isGiven: value !== undefined,
    })
  }
  return fields
}

/** The form of the page with these fields; undefined: no form can say it, or it would ask for a secret. */
export function checked(
  call: ToolCall,
  offered: readonly Choice[],
  fields: readonly EditField[],
): FormSchema | undefined {
  const options = offered.map((choice) => ({ const: choiceText(choice), title: choiceWords(choice, call, true) }))
  const properties = {
    // No default: a form sent as it came must not be a yes.
    choice: { type: 'string', title: 'Decision', oneOf: options },
    [reasonField]: { type: 'string', title: 'Reason (optional)', maxLength: longestReason },
    ...delegateTo(offered),
    ...propertiesOf(fields),
  }
  // What was given cannot be left empty: nobody could tell a cleared field from one that was left out.
  return checkedForm(properties, ['choice', ...fields.filter(({ isGiven }) => isGiven).map(nameInForm)], fields)
}

/** The field that says to whom it is handed on, where that is offered. */
function delegateTo(offered: readonly Choice[]): JsonObject {
  if (!offered.some(({ kind }) => kind === 'delegate')) return {}
  const description = 'Only to hand it on: subject@issuer, or group:name.'
  return { [delegateField]: { type: 'string', title: 'Hand it on to', description, maxLength: 500 } }
}

function propertiesOf(fields: readonly EditField[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [nameInForm(field), field.schema]))
}

function checkedForm(
  properties: JsonObject,
  required: readonly string[],
  fields: readonly EditField[],
): FormSchema | undefined {
  try {
    const form = checkForm({ type: 'object', properties, required }, undefined, 'tolerant')
    return findSecretAsk(form, '') === undefined && keepsAll(form, fields) ? form : undefined
  } catch {
    // What a form cannot say is for the page to show.
    return undefined
  }
}

/** Whether the form shows every value that was given: a field that lost its value would change the call unseen. */
function keepsAll(form: FormSchema, fields: readonly EditField[]): boolean {
  return fields.every((field) => !field.isGiven || form.properties[nameInForm(field)]?.default !== undefined)
}

/** Clients show at least this much of a message: an approver must see all of it, and what was wrong with their answer. */
const longestWords = 3_500
const mostLines = 50

/** What the requester's own client is asked, if it may show the approval and its answer counts. */
export interface ClientForm {
  readonly message: string
  readonly schema: FormSchema
}

/** How a client shows forms. */
export interface FormFit {
  /** How many lines of a message it shows. */
  readonly messageLines?: number
  /** It can submit no more than the choice: what may be edited is edited on the page. */
  readonly choiceOnly?: boolean
}

/** Undefined: the rule, the arguments or their length are not for a form in this client; then it is the page's. */
export function formForClient(
  call: ToolCall,
  decision: Decision,
  message?: string,
  { messageLines = mostLines, choiceOnly = false }: FormFit = {},
): ClientForm | undefined {
  const words = clientWords(call, decision, message)
  if (words.length > longestWords || words.split('\n').length > Math.min(messageLines, mostLines)) return undefined
  const offered = choicesFor(call, decision, call.requester.participant, 'form')
  const schema = choiceForm(call, choiceOnly ? { ...decision, editable: [] } : decision, offered)
  return schema === undefined ? undefined : { message: words, schema }
}

/**
 * What the approver is told in their client: the question, a line for each argument, and why they are asked. Never
 * shortened, and without blank lines, since some clients show a few lines only.
 */
export function clientWords(call: ToolCall, decision: Decision, message = approvalWords(call)): string {
  const shown = showArguments(call.arguments, 'compact').map(
    ({ name, value }) => `${shownText(name)}: ${indented(shownText(value))}`,
  )
  const facts = shown.length === 0 ? ['It has no arguments.'] : shown
  const note = cannotTellApart(namedClient(call.requester).known)
  return [message, ...facts, decision.why.words, ...(note === undefined ? [] : [note])].join('\n')
}

/** The same words for a channel through which people answer; undefined: they would not show the call as it is. */
export function channelWords(call: ToolCall, decision: Decision): string | undefined {
  return isInPlainView(call) && decision.previewBy === undefined ? clientWords(call, decision) : undefined
}

function indented(text: string): string {
  return text.includes('\n') ? `\n  ${text.replaceAll('\n', '\n  ')}` : text
}

/** What is asked, in our words: the verb first, and nothing that a server wrote but names, made visible. */
export function approvalWords({ server, tool }: Pick<ToolCall, 'server' | 'tool'>): string {
  return `Run ${nameText(tool)} on ${nameText(server)}?`
}
