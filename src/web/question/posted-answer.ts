import type { Answer, Elicitation } from '../../elicitation/elicitation.ts'
import { coerceContent } from '../../elicitation/form/coerce.ts'
import type { Content, FormSchema } from '../../elicitation/form/schema.ts'
import { posted, postedName } from '../pages/props.ts'

/** What the person typed, by field, as it was posted. Ignores files, and fields that the form does not have. */
export function typedIn(form: FormData, { properties }: FormSchema): Map<string, string[]> {
  const texts = (name: string) => form.getAll(postedName(name)).filter((value) => typeof value === 'string')
  return new Map(
    Object.keys(properties)
      .map((name) => [name, texts(name)] as const)
      .filter(([, values]) => values.length > 0),
  )
}

/** Anything but a clear yes or no is a cancel: silence is never consent. */
export function postedAction(form: FormData): Answer['action'] {
  const action = form.get(posted.answer)
  return action === 'accept' || action === 'decline' ? action : 'cancel'
}

/** The posted answer, its content unchecked. An emptied field has no value, even where it had a default. */
export function postedAnswer(form: FormData, { question: { schema } }: Elicitation): Answer {
  const action = postedAction(form)
  if (action !== 'accept' || schema === undefined) return { action }
  const content = coerceContent(schema, typedIn(form, schema), { absentCheckbox: false })
  // A value that does not parse as its type stays text, which `assent.answer` then refuses.
  return { action, content: content as Content }
}
