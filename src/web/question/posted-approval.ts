import { editPrefix } from '../../approval/question/choice-form.ts'
import { jsonPrefix } from '../../approval/question/page-form.ts'
import { delegateChoice, delegateField } from '../../elicitation/answering/may-answer.ts'
import type { Answer } from '../../elicitation/elicitation.ts'
import { coerceContent } from '../../elicitation/form/coerce.ts'
import { defaultsOf } from '../../elicitation/form/defaults.ts'
import type { Content, Field, FieldValue, FormSchema } from '../../elicitation/form/schema.ts'
import { denialField, posted, postedName } from '../pages/props.ts'
import { postedAction, typedIn } from './posted-answer.ts'

/** The posted answer of an approver, unchecked. A no is a no, whatever else was filled in. */
export function postedApproval(form: FormData, schema: FormSchema): Answer {
  if (form.get(posted.answer) === delegateChoice) return { action: 'accept', content: handedOn(form) }
  const action = postedAction(form)
  switch (action) {
    case 'cancel':
      return { action }
    case 'decline':
      return postedDenial(form, schema)
    case 'accept':
      return { action, content: contentFrom(form, schema) }
  }
}

function handedOn(form: FormData): Content {
  const to = form.get(postedName(delegateField))
  return { choice: delegateChoice, [delegateField]: typeof to === 'string' ? to.trim() : '' }
}

function postedDenial(form: FormData, schema: FormSchema): Answer {
  const denial = form.get(denialField)
  const reason = reasonIn(form)
  if (typeof denial !== 'string' || !denial.startsWith('always_deny/')) {
    return { action: 'decline', ...(reason !== undefined && { reason }) }
  }
  // A no ignores edits that were begun: its content has the arguments as they were asked for.
  const content = { ...defaultsOf(schema), choice: denial, ...(reason !== undefined && { reason }) }
  return { action: 'accept', content }
}

function reasonIn(form: FormData): string | undefined {
  const reason = form.get(postedName('reason'))
  return typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : undefined
}

/** The content with real edits only: what a browser changes in text that it sends is not an edit. */
function contentFrom(form: FormData, schema: FormSchema): Content {
  const typed = typedIn(form, schema)
  const read = coerceContent(schema, typed, { absentCheckbox: false }) as Content
  const content: [string, FieldValue][] = []
  for (const [name, field] of Object.entries(schema.properties)) {
    const value =
      name.startsWith(editPrefix) || name.startsWith(jsonPrefix) ? editOf(name, field, typed, read) : read[name]
    if (value !== undefined) content.push([name, value])
  }
  return Object.fromEntries(content)
}

function editOf(
  name: string,
  field: Field,
  typed: ReadonlyMap<string, readonly string[]>,
  read: Content,
): FieldValue | undefined {
  const text = typed.get(name)?.at(-1)
  const given = field.default
  if (given === undefined) {
    // The argument was not given and nobody filled it in.
    return text === undefined || text === '' ? undefined : read[name]
  }
  if (typeof given !== 'object' && typeof given !== 'boolean' && text !== undefined) {
    if (asSent(String(given)) === asSent(text)) return given
    // An emptied JSON field is an edit, and is refused later as invalid JSON.
    if (text === '' && name.startsWith(jsonPrefix)) return ''
  }
  return read[name]
}

/** The text as a browser sends it back when nobody changed it. */
function asSent(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd').replace(/\r\n?/g, '\n')
}
