import { BadArgument } from '../../base/errors.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { coerceContent } from '../../elicitation/form/coerce.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import { type FieldError, validateContent } from '../../elicitation/form/validate.ts'
import type { Asker, FormRequest, UrlRequest } from '../ui.ts'
import { named } from './asker.ts'

/** A server asks, and there is neither a person to answer nor an answer that was given before. */
export class InputNeeded extends BadArgument {
  readonly needs: 'answers' | 'yes' | 'consent' | 'person'
  /** The names of what was to be filled in. */
  readonly fields: readonly string[]

  constructor(
    { asker, message }: Question,
    needs: InputNeeded['needs'],
    inWords: string,
    fields: readonly string[] = [],
  ) {
    super(`${named(asker)} asks, and there is no terminal to ask at: “${visibleLine(message)}” ${inWords}`)
    this.needs = needs
    this.fields = fields
  }
}

interface Question {
  readonly asker: Asker
  readonly message: string
}

/** What was filled in before anyone asked: text is read as the field's type, all else is taken as it is. */
export type GivenAnswers = ReadonlyMap<string, unknown>

/** What the answers make of a form. */
export interface Given {
  /** The fields that they name. */
  readonly names: ReadonlySet<string>
  /** With what was filled in before. */
  readonly content: Readonly<Record<string, unknown>>
  readonly errors: readonly FieldError[]
}

export function fillIn({ schema, filled }: FormRequest, answers: GivenAnswers): Given {
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
export function formNeeded(request: FormRequest, { names, errors }: Given): InputNeeded {
  const fields = Object.keys(request.schema.properties)
  if (fields.length === 0) return new InputNeeded(request, 'yes', 'It needs a yes.')
  const required = new Set(request.schema.required)
  const wrong = names.size === 0 ? [] : errors.map((error) => visibleLine(error.message))
  const list = fields.map((name) => `${visibleLine(name)}${required.has(name) ? '' : ' (optional)'}`).join(', ')
  return new InputNeeded(request, 'answers', [...wrong, `It needs: ${list}.`].join(' '), fields)
}

/** The error for a page that nobody may open. */
export function consentNeeded(request: UrlRequest): InputNeeded {
  const { url, warnings } = request
  const inWords = `It needs a yes to open ${visibleLine(url, 10_000)}.`
  if (warnings.length === 0) return new InputNeeded(request, 'consent', inWords)
  const why = `Its address is odd (${warnings.join(', ')}), so only a person may say yes.`
  return new InputNeeded(request, 'person', `${inWords} ${why}`)
}
