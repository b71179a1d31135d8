import type { Answer, Elicitation } from '../../elicitation/elicitation.ts'
import { coerceContent } from '../../elicitation/form/coerce.ts'
import type { Content, FormSchema } from '../../elicitation/form/schema.ts'
import { posted, postedName } from '../pages/props.ts'

/** What the person typed, by field, as it was posted. Files and what the form did not ask for are left out. */
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

/** The answer that was posted, its content still unchecked. An emptied field is no answer, whatever its default was. */
export function postedAnswer(form: FormData, { question: { schema } }: Elicitation): Answer {
  const action = postedAction(form)
  if (action !== 'accept' || schema === undefined) return { action }
  const content = coerceContent(schema, typedIn(form, schema), { absentCheckbox: false })
  // What does not read as its type stays text here, and answering refuses it.
  return { action, content: content as Content }
}
