import { errorSummary } from '../layout/errors.ts'
import { pageOf, type Sheet } from '../layout/frame.ts'
import { markup } from '../layout/markup.ts'
import type { FormPageProps, Frame } from '../props.ts'
import { fields } from './fields.ts'
import { deadline, questionForm, questionHead } from './question-parts.ts'
import { quotation, visible } from './quote.ts'

/** Asks for the values of a form that a server wrote. */
export function formPage(frame: Frame, props: FormPageProps): string {
  return pageOf(frame, formSheet(frame, props))
}

export function formSheet(frame: Frame, { asked, schema, typed, errors }: FormPageProps): Sheet {
  const server = visible(asked.server)
  const isEmpty = Object.keys(schema.properties).length === 0
  const question = isEmpty ? markup`Say yes to ${server}?` : markup`Send an answer to ${server}?`
  const why = isEmpty
    ? markup`${server} waits for your answer.`
    : markup`${server} needs it to continue. It sees what you send, and ${visible(asked.client)} may see it too.`
  const contents = isEmpty ? undefined : fields({ locale: frame.locale, schema, typed, errors })
  return {
    title: `Send an answer to ${asked.server}?`,
    body: markup`${errorSummary(schema, errors)}
${questionHead('form', asked, question, why)}
${quotation(asked.server, asked.message, isEmpty ? 'none' : 'fields')}
${questionForm(frame, asked.action, { accept: isEmpty ? 'Yes' : 'Send', decline: 'Decline' }, contents)}
${deadline(frame, asked, 'Nothing is sent.')}`,
  }
}
