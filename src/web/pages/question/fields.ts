import { isChoice, labelOf, optionsOf } from '../../../elicitation/form/options.ts'
import type { ChoiceField, Field, FormSchema, NumberField, TextField } from '../../../elicitation/form/schema.ts'
import type { FieldError } from '../../../elicitation/form/validate.ts'
import { exactName, exactText } from '../layout/exact-text.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { postedName } from '../props.ts'
import { hintOf } from './field-hints.ts'
import { isDeceptive, visible } from './quote.ts'

/** A form with what was typed into it and what is wrong with that. */
export interface FilledForm {
  readonly locale: string
  readonly schema: FormSchema
  /** As it was posted; absent at first, when the defaults are shown. */
  readonly typed?: ReadonlyMap<string, readonly string[]> | undefined
  readonly errors: readonly FieldError[]
  /** Whether the fields are arguments of a call: every character of names and values is shown, and no box clips them. */
  readonly isExact?: boolean
}

/** What is needed to draw one field. Ids are numbers, because names may hold any character. */
interface Box<Kind extends Field = Field> {
  readonly id: string
  readonly name: string
  readonly field: Kind
  readonly label: Markup
  readonly isRequired: boolean
  readonly values: readonly string[]
  readonly hint: string
  readonly problem: string
  readonly isExact: boolean
}

/** The HTML id of a field, for links from the error summary. */
export function idOfField(schema: FormSchema, name: string): string | undefined {
  const index = Object.keys(schema.properties).indexOf(name)
  return index < 0 ? undefined : `f${index}`
}

/** Every field of a form, in the order of its schema. */
export function fields(form: FilledForm): Markup {
  return markup`${Object.keys(form.schema.properties).map((name) => fieldNamed(form, name))}`
}

/** One field of a form. */
export function fieldNamed(form: FilledForm, name: string): Markup {
  const field = form.schema.properties[name]
  return field === undefined ? markup`` : draw(boxOf(form, name, field))
}

function boxOf({ locale, schema, typed, errors, isExact = false }: FilledForm, name: string, field: Field): Box {
  return {
    id: idOfField(schema, name) ?? '',
    name: postedName(name),
    field,
    label: isExact ? markup`<bdi>${exactName(field.title ?? name)}</bdi>` : visible(labelOf(name, field)),
    isRequired: schema.required?.includes(name) ?? false,
    values: typed === undefined ? defaultOf(field) : (typed.get(name) ?? []),
    hint: hintOf(locale, field),
    problem: errors.find((error) => error.field === name)?.message ?? '',
    isExact,
  }
}

function defaultOf({ default: value }: Field): readonly string[] {
  if (value === undefined) return []
  return typeof value === 'object' ? value : [String(value)]
}

function draw(box: Box): Markup {
  const { field } = box
  if (isChoice(field)) {
    if (field.type === 'array') return drawList(box, optionsOf(field), 'checkbox')
    return isDrawnAsRadios(box, optionsOf(field)) ? drawRadios({ ...box, field }) : drawSelect({ ...box, field })
  }
  switch (field.type) {
    case 'string':
      return labelled(box, drawText({ ...box, field }))
    case 'number':
    case 'integer':
      return labelled(box, drawNumber({ ...box, field }))
    case 'boolean':
      return drawBoolean(box)
  }
}

const mostRadios = 5

/** A closed list cuts off a long option, and cannot mark hidden characters; radio buttons do neither. */
function isDrawnAsRadios({ isExact }: Box, options: ReturnType<typeof optionsOf>): boolean {
  return options.length <= mostRadios || (isExact && !options.every(({ title }) => fitsOneLine(title)))
}

function drawText(box: Box<TextField>): Markup {
  const value = box.values.at(-1) ?? ''
  if (!isDrawnAsArea(box, value)) return markup`<input ${attributes(box)} ${kindOf(box)} value="${value}">`
  const rows = box.isExact ? rowsOf(value) : 4
  // HTML ignores the first line break in a textarea, so one is added.
  return markup`<textarea ${attributes(box)} rows="${rows}">${'\n'}${value}</textarea>`
}

function isDrawnAsArea({ field: { format, maxLength = 0 }, isExact }: Box<TextField>, value: string): boolean {
  if (isExact) return format !== 'date' && !fitsOneLine(value)
  // A one-line input would silently remove line breaks.
  return format === undefined && (maxLength > 200 || /[\r\n]/.test(value))
}

/** Whether a one-line box shows a text in full, also on a narrow phone. */
function fitsOneLine(text: string): boolean {
  return /^[\x20-\x7e]{0,24}$/.test(text)
}

/** For browsers that size a box neither by `field-sizing` nor by our script: as many lines as a narrow phone needs. */
function rowsOf(text: string): number {
  const width = (line: string) => line.replace(/[^\x20-\x7e]/g, '  ').length
  return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(width(line) / 28)), 0)
}

/** The format only selects the keyboard: with type email or url, browsers would refuse some valid addresses. */
function kindOf({ id, field }: Box<TextField>): Markup {
  if (field.format === undefined) return markup`type="text" autocomplete="off"`
  switch (field.format) {
    case 'email':
      return markup`type="text" inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false"`
    case 'uri':
      return markup`type="text" inputmode="url" autocomplete="url" autocapitalize="none" spellcheck="false"`
    case 'date':
      return markup`type="date"`
    case 'date-time':
      return markup`type="text" autocomplete="off" spellcheck="false" data-date-time="${id}-rule"`
  }
}

function drawNumber(box: Box<NumberField>): Markup {
  const { field, values } = box
  // The numeric keyboards of phones have no minus sign.
  const keys = (field.minimum ?? -1) < 0 ? 'text' : field.type === 'integer' ? 'numeric' : 'decimal'
  return markup`<input ${attributes(box)} type="text" inputmode="${keys}" autocomplete="off" value="${values.at(-1) ?? ''}">`
}

function drawBoolean(box: Box): Markup {
  const isTicked = ['true', 'on', 'yes', '1'].includes(box.values.at(-1) ?? '')
  return markup`<div class="field"><div class="choices"><label class="choice"><input type="checkbox" id="${box.id}" name="${box.name}" value="true"${describedBy(box)}${isTicked && markup` checked`}><span>${box.label}${description(box)}</span></label></div>${problemOf(box)}</div>`
}

function drawRadios(box: Box<ChoiceField>): Markup {
  const options = optionsOf(box.field)
  const none = { const: '', title: 'No answer' }
  const isNoneOffered = box.isRequired || options.some((option) => option.const === '')
  const values = box.values.length === 0 && !isNoneOffered ? [''] : box.values
  return drawList({ ...box, values }, isNoneOffered ? options : [...options, none], 'radio')
}

function drawList(box: Box, options: ReturnType<typeof optionsOf>, type: 'radio' | 'checkbox'): Markup {
  const items = options.map((option, index) => {
    const id = index === 0 ? box.id : `${box.id}-${index}`
    const isRequired = type === 'radio' && box.isRequired
    return markup`<li><label class="choice"><input type="${type}" id="${id}" name="${box.name}" value="${option.const}"${isRequired && markup` required`}${box.values.includes(option.const) && markup` checked`}><span>${titleOf(option, box)}</span></label></li>`
  })
  return markup`<fieldset class="field"${describedBy(box)}><legend>${box.label}${optional(box)}</legend>${description(box)}<ul class="choices"${box.problem !== '' && markup` data-bad`}>${items}</ul>${problemOf(box)}</fieldset>`
}

function drawSelect(box: Box<ChoiceField>): Markup {
  const options = optionsOf(box.field)
  const isEmptyOffered = options.some((option) => option.const === '')
  const value = box.values.at(-1) ?? ''
  const items = options.map(
    (option) =>
      markup`<option value="${option.const}"${option.const === value && markup` selected`}>${titleOf(option, box)}</option>`,
  )
  const none = markup`<option value="">${box.isRequired ? 'Choose one' : 'No answer'}</option>`
  const select = { ...box, isRequired: box.isRequired && !isEmptyOffered }
  return labelled(box, markup`<select ${attributes(select)}>${!isEmptyOffered && none}${items}</select>`)
}

/** A blank title is shown in quotation marks, so that the option can be seen. */
function titleOf({ title }: { readonly title: string }, { isExact }: Pick<Box, 'isExact'>): Markup {
  if (isExact && title !== '') return markup`<bdi class="value">${exactText(title)}</bdi>`
  return title.trim() === '' ? markup`“${title}”` : visible(title, 200)
}

function labelled(box: Box, control: Markup): Markup {
  return markup`<div class="field"><label for="${box.id}">${box.label}${optional(box)}</label>${description(box)}${control}${problemOf(box)}${suggested(box)}</div>`
}

function attributes(box: Box): Markup {
  return markup`id="${box.id}" name="${box.name}"${describedBy(box)}${box.isRequired && markup` required`}${box.problem !== '' && markup` aria-invalid="true"`}`
}

function optional({ isRequired }: Box): Markup {
  return isRequired ? markup`` : markup` <span class="optional">(optional)</span>`
}

function description({ id, field, hint }: Box): Markup {
  const words = field.description?.trim() ? markup`<span>${visible(field.description, 1_000)}</span> ` : ''
  if (words === '' && hint === '') return markup``
  return markup`<div class="hint" id="${id}-hint">${words}${hint !== '' && markup`<span id="${id}-rule">${hint}</span>`}</div>`
}

function describedBy({ id, field, hint, problem }: Box): Markup {
  const has = [
    ...(hint !== '' || field.description?.trim() ? [`${id}-hint`] : []),
    ...(problem === '' ? [] : [`${id}-problem`]),
  ]
  return has.length === 0 ? markup`` : markup` aria-describedby="${has.join(' ')}"`
}

/** Always present, so that the script can fill it in. */
export function problemOf({ id, problem }: { readonly id: string; readonly problem: string }): Markup {
  return markup`<p class="problem" id="${id}-problem"${problem === '' && markup` hidden`}>${icons.lost}<span>${visible(problem, 400)}</span></p>`
}

/** Shows the hidden characters of a default below its input, which cannot mark them. */
function suggested({ field, values, isExact }: Box): Markup {
  const value = values.at(-1)
  if (isExact || value === undefined || value !== field.default || !isDeceptive(value)) return markup``
  return markup`<p class="hint">Suggested, with hidden characters shown: ${visible(value, 400)}</p>`
}
