import type { FormSchema } from '../../../elicitation/form/schema.ts'
import { errorSummary } from '../layout/errors.ts'
import { documentOf, heading } from '../layout/frame.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { type ConnectPageProps, type Frame, keyField } from '../props.ts'
import { deadline, questionForm, questionHead } from './question-parts.ts'
import { quotation, visible } from './quote.ts'
import { secretField } from './secrets.ts'

/** Asks whether to connect an account. Nothing starts before the person agrees on this page. */
export function connectPage(frame: Frame, props: ConnectPageProps): string {
  const { asked, action, provider, errors } = props
  const question = markup`Connect your ${visible(provider.title)} account?`
  return documentOf(
    frame,
    `Connect your ${provider.title} account?`,
    markup`${errorSummary(schemaOf(props), errors)}
${asked === undefined ? heading('connect', question, 'You can then use it with the servers that need it.') : questionHead('connect', asked, question, markup`${visible(asked.server)} needs it to do what ${visible(asked.client)} asked for.`)}
${asked !== undefined && quotation(asked.server, asked.message)}
${scopes(props)}
${whatHappens(frame, props)}
${questionForm(frame, action, { accept: props.key ? 'Save key' : 'Connect', decline: 'Not now' }, key(props))}
${asked !== undefined && deadline(frame, asked, 'Nothing is connected.')}`,
  )
}

function scopes({ scopes, provider }: ConnectPageProps): Markup {
  if (scopes.length === 0) return markup``
  return markup`<section><h2>What it asks ${visible(provider.title)} for</h2><ul class="scopes">${scopes.map((scope) => markup`<li class="code">${visible(scope)}</li>`)}</ul></section>`
}

function whatHappens({ look }: Frame, { asked, key, provider }: ConnectPageProps): Markup {
  const title = visible(look.title)
  if (key !== undefined) {
    const who = asked === undefined ? 'the servers that need it' : visible(asked.server)
    const notWho = asked === undefined ? 'Your client' : visible(asked.client)
    return markup`<p class="soft">${title} stores the key encrypted, for ${who} to use. ${notWho} does not see it, and you can disconnect at any time.</p>`
  }
  return markup`<p class="soft">You sign in at <strong>${visible(provider.host ?? provider.title)}</strong>. ${title} stores the access it gets encrypted, and you can disconnect at any time.</p>`
}

function key({ key, errors }: ConnectPageProps): Markup | undefined {
  if (key === undefined) return undefined
  return secretField({
    id: 'f0',
    name: keyField,
    label: key.fieldLabel,
    description: key.description,
    placeholder: key.placeholder,
    isRequired: true,
    problem: errors.find((error) => error.field === keyField)?.message ?? '',
  })
}

function schemaOf({ key }: ConnectPageProps): FormSchema {
  return { type: 'object', properties: key === undefined ? {} : { [keyField]: { type: 'string' } } }
}
