import { AssentError } from '../../base/errors.ts'
import type { FormSchema } from './schema.ts'

/** Where a form asks for a credential, and the word that gave it away. */
export interface SecretAsk {
  readonly field?: string
  readonly where: 'name' | 'title' | 'description' | 'format' | 'message'
  readonly word: string
}

/** E11-02: a form asks for a credential, which must be asked for by url. */
export class FormAsksSecret extends AssentError {
  readonly code = 'form_asks_secret'

  constructor({ field, where, word }: SecretAsk) {
    const place = field === undefined ? 'The message of this form' : `The field ${JSON.stringify(field)}`
    super(`${place} asks for a secret; ask for it by url instead.`, { detail: `${where} says ${JSON.stringify(word)}` })
  }
}

/** The first credential that a form asks for, if any. */
export function findSecretAsk(schema: FormSchema, _message: string): SecretAsk | undefined {
  for (const [field, { type, title = '' }] of Object.entries(schema.properties)) {
    if (type === 'boolean' || type === 'array') continue
    const found = /password|secret|api.?key|token/i.exec(`${field} ${title}`)
    if (found !== null) return { field, where: 'name', word: found[0] }
  }
  return undefined
}

/** Refuses a form that asks for a credential. */
export function refuseSecrets(schema: FormSchema, message: string): void {
  const ask = findSecretAsk(schema, message)
  if (ask !== undefined) throw new FormAsksSecret(ask)
}
