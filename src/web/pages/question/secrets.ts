import { type Markup, markup } from '../layout/markup.ts'
import { postedName } from '../props.ts'
import { problemOf } from './fields.ts'
import { visible, visiblePlain } from './quote.ts'

/** A field for a secret, which is never filled in again by the page. */
export interface SecretField {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly description?: string | undefined
  readonly placeholder?: string | undefined
  readonly isRequired: boolean
  readonly problem: string
}

/** A password input. Where scripts run, it has a button that reveals the text. */
export function secretField(secret: SecretField): Markup {
  const { id, name, label, placeholder, isRequired, problem } = secret
  const description = secret.description?.trim() ?? ''
  const hint = description !== '' && markup`<div class="hint" id="${id}-hint">${visible(description, 1_000)}</div>`
  const describedBy = [description !== '' && `${id}-hint`, problem !== '' && `${id}-problem`].filter(Boolean).join(' ')
  const example = placeholder !== undefined && markup` placeholder="${visiblePlain(placeholder)}"`
  return markup`<div class="field"><label for="${id}">${visible(label)}${!isRequired && markup` <span class="optional">(optional)</span>`}</label>${hint}
<div class="secret"><input type="password" id="${id}" name="${postedName(name)}" autocomplete="off" autocapitalize="none" spellcheck="false"${example}${isRequired && markup` required`}${describedBy !== '' && markup` aria-describedby="${describedBy}"`}${problem !== '' && markup` aria-invalid="true"`}><button type="button" data-reveal="${id}" data-label="${visiblePlain(label)}" aria-label="Show ${visiblePlain(label)}" hidden>Show</button></div>
${problemOf({ id, problem })}</div>`
}
