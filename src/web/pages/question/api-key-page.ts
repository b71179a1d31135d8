import { isChoice, labelOf } from '../../../elicitation/form/options.ts'
import type { Field } from '../../../elicitation/form/schema.ts'
import { errorSummary } from '../layout/errors.ts'
import { pageOf, type Sheet } from '../layout/frame.ts'
import { type Markup, markup } from '../layout/markup.ts'
import type { ApiKeyPageProps, Frame } from '../props.ts'
import { fieldNamed } from './fields.ts'
import { deadline, questionForm, questionHead } from './question-parts.ts'
import { quotation, visible } from './quote.ts'
import { secretField } from './secrets.ts'

/** Asks for a secret. Only Assent receives it, and no page shows it again. */
export function apiKeyPage(frame: Frame, props: ApiKeyPageProps): string {
  return pageOf(frame, apiKeySheet(frame, props))
}

export function apiKeySheet(frame: Frame, props: ApiKeyPageProps): Sheet {
  const { asked, schema, errors } = props
  const server = visible(asked.server)
  return {
    title: `Save a key for ${asked.server}?`,
    body: markup`${errorSummary(schema, errors)}
${questionHead('key', asked, markup`Save a key for ${server}?`, markup`It is stored encrypted, and only ${server} gets it. ${visible(asked.client)} does not.`)}
${quotation(asked.server, asked.message)}
${questionForm(frame, asked.action, { accept: 'Save key', decline: 'Decline' }, secretFields(frame, props))}
${deadline(frame, asked, 'Nothing is saved.')}`,
  }
}

function secretFields({ locale }: Frame, { schema, labels, errors }: ApiKeyPageProps): Markup {
  const names = Object.keys(schema.properties)
  const drawn = Object.entries(schema.properties).map(([name, field], index) => {
    if (!isSecret(field)) return fieldNamed({ locale, schema, errors }, name)
    // The page's labels are for a single secret. Where there are several, each field has its own.
    const { fieldLabel, description, placeholder } = names.length === 1 ? labels : {}
    return secretField({
      id: `f${index}`,
      name,
      label: fieldLabel ?? labelOf(name, field),
      description: description ?? field.description,
      placeholder,
      isRequired: schema.required?.includes(name) ?? false,
      problem: errors.find((error) => error.field === name)?.message ?? '',
    })
  })
  return markup`${drawn}`
}

/** Any text may be a secret, except an email address, a date or a time. */
function isSecret(field: Field): boolean {
  return field.type === 'string' && !isChoice(field) && (field.format === undefined || field.format === 'uri')
}
