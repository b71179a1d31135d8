import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { digest } from '../base/canonical.ts'
import { BadQuestion } from '../elicitation/errors.ts'
import { checkForm } from '../elicitation/form/check.ts'
import type { Content, FormSchema } from '../elicitation/form/schema.ts'
import { refuseSecrets } from '../elicitation/form/secrets/secrets.ts'
import { type FieldError, validateContent } from '../elicitation/form/validate.ts'
import type { ElicitationLimits } from '../elicitation/limits.ts'

/** A form as its author writes it: a zod object (or any Standard Schema that can say itself as JSON Schema), or JSON Schema. */
export type FormInput = StandardSchemaWithJSON | Record<string, unknown>

/** What an author gets back for a form. */
export type FormOutput<Input extends FormInput> = Input extends StandardSchemaWithJSON
  ? StandardSchemaWithJSON.InferOutput<Input>
  : Content

/** A question that may be put to a person through their client. */
export interface AskedForm {
  readonly message: string
  readonly schema: FormSchema
  /** Equal for the same question. */
  readonly fingerprint: string
  /** The answer as the author's own schema reads it, or what is wrong with it. */
  read(content: unknown): Promise<Read>
}

export type Read =
  | { readonly kind: 'valid'; readonly content: Content; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }

/** Refuses what must not be asked; the author's schema is brought to what a form can say. */
export function askedForm(limits: ElicitationLimits, message: string, input: FormInput): AskedForm {
  checkMessage(limits, message)
  const author = isStandard(input) ? input : undefined
  const json = author ? author['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) : input
  const schema = checkForm(json, limits.form, author ? 'tolerant' : 'exact')
  refuseSecrets(schema, message)
  return {
    message,
    schema,
    fingerprint: digest([message, schema]),
    read: (content) => readAnswer(schema, author, content),
  }
}

export function checkMessage({ messageLength }: ElicitationLimits, message: string): void {
  if (message.trim() === '') throw new BadQuestion('A question needs a message.')
  if (message.length > messageLength) throw new BadQuestion(`A message has at most ${messageLength} characters.`)
}

async function readAnswer(
  schema: FormSchema,
  author: StandardSchemaWithJSON | undefined,
  given: unknown,
): Promise<Read> {
  const validated = validateContent(schema, given)
  if (validated.kind === 'invalid') return validated
  const { content } = validated
  if (author === undefined) return { kind: 'valid', content, value: content }

  // The author's schema may ask for more than a form can say.
  const read = await author['~standard'].validate(content)
  if (read.issues === undefined) return { kind: 'valid', content, value: read.value }
  const errors = read.issues.map(({ path, message }) => ({ field: fieldOf(path?.[0]), message }))
  return { kind: 'invalid', errors }
}

function fieldOf(step: PropertyKey | { readonly key: PropertyKey } | undefined): string {
  if (step === undefined) return ''
  return String(typeof step === 'object' ? step.key : step)
}

function isStandard(input: FormInput): input is StandardSchemaWithJSON {
  return '~standard' in input
}
