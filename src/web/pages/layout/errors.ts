import type { FormSchema } from '../../../elicitation/form/schema.ts'
import type { FieldError } from '../../../elicitation/form/validate.ts'
import { idOfField } from '../question/fields.ts'
import { visible } from '../question/quote.ts'
import { icons } from './icons.ts'
import { type Markup, markup } from './markup.ts'

/** Lists what is wrong with a posted form, with links to the fields. It has the focus, so it is read out first. */
export function errorSummary(schema: FormSchema, errors: readonly FieldError[]): Markup {
  if (errors.length === 0) return markup``
  const items = errors.map(({ field, message }) => {
    const id = idOfField(schema, field)
    return markup`<li>${id === undefined ? visible(message, 400) : markup`<a href="#${id}">${visible(message, 400)}</a>`}</li>`
  })
  const heading =
    errors.length === 1
      ? 'Nothing was sent yet. One thing needs another look.'
      : `Nothing was sent yet. ${errors.length} things need another look.`
  return markup`<div class="errors" role="alert" tabindex="-1" autofocus>${icons.lost}<div><h2>${heading}</h2><ul>${items}</ul></div></div>`
}
