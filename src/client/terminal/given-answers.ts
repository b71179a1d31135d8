import { BadArgument } from '../../base/errors.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { coerceContent } from '../../elicitation/form/coerce.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import { type FieldError, validateContent } from '../../elicitation/form/validate.ts'
import type { Asker, FormRequest, UrlRequest } from '../ui.ts'
import { askerName } from './asker.ts'

/** A server asks, and there is neither a terminal to ask at nor an answer that was given in advance. */
export class InputNeeded extends BadArgument {
  readonly needs: 'answers' | 'yes' | 'consent' | 'person'
  /** The names of the form's fields. */
  readonly fields: readonly string[]

  constructor(
    { asker, message }: Question,
    needs: InputNeeded['needs'],
    inWords: string,
    fields: readonly string[] = [],
  ) {
    super(`${askerName(asker)} asks, but there is no terminal to ask at: “${visibleLine(message)}” ${inWords}`)
    this.needs = needs
    this.fields = fields
  }
}

interface Question {
  readonly asker: Asker
  readonly message: string
}

/**
 * Answers that were given in advance, by field name. Text is converted to the field's type; other values are used as
 * given.
 */
export type GivenAnswers = ReadonlyMap<string, unknown>

/** A form with the answers that were given in advance. */
export interface PrefilledForm {
  /** The fields that have such an answer. */
  readonly names: ReadonlySet<string>
  /** The answers, and the form's initial content for the other fields. */
  readonly content: Readonly<Record<string, unknown>>
  readonly errors: readonly FieldError[]
}

/** Fills in a form with the answers that were given in advance. */
export function prefill({ schema, filled }: FormRequest, answers: GivenAnswers): PrefilledForm {
  const names = Object.keys(schema.properties).filter((name) => answers.has(name))
  const content = { ...filled, ...Object.fromEntries(names.map((name) => [name, givenValue(schema, name, answers)])) }
  const validated = validateContent(schema, content)
  return { names: new Set(names), content, errors: validated.kind === 'valid' ? [] : validated.errors }
}

function givenValue(schema: FormSchema, name: string, answers: GivenAnswers): unknown {
  const value = answers.get(name)
  const isText = typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
  return isText ? coerceContent(schema, [[name, value as string | string[]]])[name] : value
}

/** The error for a form that nobody can answer. */
export function formNeeded(request: FormRequest, { names, errors }: PrefilledForm): InputNeeded {
  const fields = Object.keys(request.schema.properties)
  if (fields.length === 0) return new InputNeeded(request, 'yes', 'It needs a yes.')
  const required = new Set(request.schema.required)
  const wrong = names.size === 0 ? [] : errors.map((error) => visibleLine(error.message))
  const list = fields.map((name) => `${visibleLine(name)}${required.has(name) ? '' : ' (optional)'}`).join(', ')
  return new InputNeeded(request, 'answers', [...wrong, `It needs: ${list}.`].join(' '), fields)
}

/** The error for a page that nobody can agree to open. */
export function consentNeeded(request: UrlRequest): InputNeeded {
  const { url, warnings } = request
  const inWords = `It needs a yes to open ${visibleLine(url, 10_000)}.`
  if (warnings.length === 0) return new InputNeeded(request, 'consent', inWords)
  const why = `Its address has warnings (${warnings.join(', ')}), so only a person can agree.`
  return new InputNeeded(request, 'person', `${inWords} ${why}`)
}
