import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { digest } from '../base/canonical.ts'
import { checkForm } from '../elicitation/form/check.ts'
import type { Content, FormSchema } from '../elicitation/form/schema.ts'
import { refuseSecrets } from '../elicitation/form/secrets/secrets.ts'
import { simplifyForm } from '../elicitation/form/simplify/simplify-form.ts'
import { type FieldError, validateContent } from '../elicitation/form/validate.ts'
import type { ElicitationLimits } from '../elicitation/limits.ts'
import { checkMessage } from '../elicitation/limits.ts'

/** A form as its author writes it: a zod object (or any Standard Schema with JSON Schema output), or JSON Schema. */
export type FormInput = StandardSchemaWithJSON | Record<string, unknown>

/** The answer to a form, as its author gets it. */
export type FormOutput<Input extends FormInput> = Input extends StandardSchemaWithJSON
  ? StandardSchemaWithJSON.InferOutput<Input>
  : Content

/** A checked form. */
export interface AskedForm {
  readonly message: string
  readonly schema: FormSchema
  /** Digest of the question. */
  readonly fingerprint: string
  /** Reads an answer with the author's own schema. */
  read(content: unknown): Promise<Read>
}

export type Read =
  | { readonly kind: 'valid'; readonly content: Content; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }

/** Checks a form, and translates the author's schema into the form schema of MCP. Throws for what must not be asked. */
export function askedForm(limits: ElicitationLimits, message: string, input: FormInput): AskedForm {
  const author = isStandard(input) ? input : undefined
  const json = author ? author['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) : input
  const schema = checkForm(json, limits.form, author ? 'tolerant' : 'exact')
  return formAsked(limits, message, schema, (content) => readAnswer(schema, author, content))
}

/** The same for the form of a server, whose schema may be written as generators write it. */
export function askedServerForm(limits: ElicitationLimits, message: string, given: unknown): AskedForm {
  const { schema: simple, patterns } = simplifyForm(given)
  const schema = checkForm(simple, limits.form, 'tolerant')
  return formAsked(limits, message, schema, async (content) => {
    const read = await readAnswer(schema, undefined, content)
    if (read.kind === 'invalid' || patterns.size === 0) return read
    const { patternErrors } = await import('../elicitation/form/patterns.ts')
    const errors = patternErrors(schema, patterns, read.content)
    return errors.length > 0 ? { kind: 'invalid', errors } : read
  })
}

function formAsked(limits: ElicitationLimits, message: string, schema: FormSchema, read: AskedForm['read']): AskedForm {
  checkMessage(limits, message)
  refuseSecrets(schema, message)
  return { message, schema, fingerprint: digest([message, schema]), read }
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

  // The author's schema may be stricter than a form schema can express.
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
