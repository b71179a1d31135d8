import { reasonField } from '../../elicitation/answering/reason.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import { saysNo } from './choices.ts'

/** What an answer to an approval must fit. A no needs nothing but itself: fields to edit do not matter to it. */
export function formForAnswer(schema: FormSchema, content: unknown): FormSchema {
  if (!saysNo(content)) return schema
  const isOfNo = (name: string) => name === 'choice' || name === reasonField
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => isOfNo(name))),
    required: ['choice'],
  }
}
