import { ownFields, present } from '../../base/json.ts'
import { labelOf, nothingChosen, optionsOf } from './options.ts'
import type { BooleanField, ChoiceField, ChoicesField, Field, FormSchema } from './schema.ts'

/** The protocol revisions in which a form can be asked. */
export type Revision = '2025-06-18' | '2025-11-25' | '2026-07-28'

/** A form as one revision can say it. */
export interface FormOnWire {
  readonly schema: FormSchema
  /** Turns an answer to `schema`, not validated yet, into one to the author's form. Never throws: what does not fit stays as it is. */
  lift(content: unknown): unknown
}

/** Brings a form to what a revision can say. */
export function formFor(schema: FormSchema, revision: Revision): FormOnWire {
  switch (revision) {
    case '2025-06-18':
      return firstForm(schema)
    case '2025-11-25':
    case '2026-07-28':
      // Also enumNames: both keep that spelling, and the conformance suite wants it as the author wrote it.
      return { schema, lift: (content) => content }
  }
}

/** How forms began (E06-04): no lists, no titled options but by enumNames, no default but a tick. */
function firstForm({ properties, required }: FormSchema): FormOnWire {
  const taken = new Set(Object.keys(properties))
  const lists: Boxes[] = []
  const fields = Object.entries(properties).flatMap(([name, field]): [string, Field][] => {
    if (field.type !== 'array') return [[name, firstField(field)]]
    const boxes = nameBoxes(name, field, required?.includes(name) ?? false, taken)
    lists.push(boxes)
    return boxFields(boxes)
  })
  const schema = present<FormSchema>({
    type: 'object',
    properties: Object.freeze(Object.fromEntries(fields)),
    required: required?.filter((name) => properties[name]?.type !== 'array'),
  })
  return { schema, lift: (content) => (lists.length > 0 ? liftLists(lists, content) : content) }
}

function firstField(field: Exclude<Field, ChoicesField>): Field {
  if (field.type === 'boolean') return field
  if ('oneOf' in field) return firstChoice(field)
  const { default: _, ...rest } = field
  return Object.freeze(rest)
}

function firstChoice({ type, title, description, oneOf }: Extract<ChoiceField, { oneOf: unknown }>): ChoiceField {
  const values = oneOf.map((option) => option.const)
  const titles = oneOf.map((option) => option.title)
  return present<ChoiceField>({ type, title, description, enum: values, enumNames: titles })
}

function liftLists(lists: readonly Boxes[], content: unknown): unknown {
  const given = ownFields(content)
  if (given === undefined) return content
  for (const boxes of lists) {
    const chosen = readBoxes(boxes, given)
    if (chosen !== undefined) given.set(boxes.list, chosen)
    for (const name of boxes.names) given.delete(name)
  }
  return Object.fromEntries(given)
}

/** A list of choices as tick boxes, one for each option in order: for a revision whose forms know no lists. */
export interface Boxes {
  readonly list: string
  readonly field: ChoicesField
  readonly required: boolean
  readonly names: readonly string[]
}

/** Names a box for each option of a list by list and number, so that boxes never meet, nor any field among `taken`. */
function nameBoxes(list: string, field: ChoicesField, required: boolean, taken: ReadonlySet<string>): Boxes {
  const names = optionsOf(field).map((_, index) => {
    let name = `${list}_${index + 1}`
    while (taken.has(name)) name += '_'
    return name
  })
  return { list, field, required, names }
}

/** The boxes as fields. None is required, as a box left alone is an answer; the first one explains them all. */
function boxFields({ list, field, required, names }: Boxes): [string, BooleanField][] {
  const label = labelOf(list, field)
  const explained = [field.description, howMany(field, required)].filter(Boolean).join(' ')
  return optionsOf(field).map((option, index) => [
    names[index] as string,
    present<BooleanField>({
      type: 'boolean',
      title: `${label}: ${option.title}`,
      description: index === 0 && explained !== '' ? explained : undefined,
      default: field.default?.includes(option.const) || undefined,
    }),
  ])
}

/** The list that the boxes say, in the order of its options; ticks that are none are passed on, and are no list. */
function readBoxes({ field, required, names }: Boxes, given: ReadonlyMap<string, unknown>): unknown {
  const ticks = names.map((name) => given.get(name) ?? undefined)
  if (ticks.some((tick) => tick !== undefined && typeof tick !== 'boolean')) return { ticks }
  const chosen = optionsOf(field).filter((_, index) => ticks[index] === true)
  if (chosen.length > 0) return chosen.map((option) => option.const)
  const isAnswered = required || ticks.includes(false)
  return isAnswered ? nothingChosen(field, required) : undefined
}

function howMany({ minItems = 0, maxItems }: ChoicesField, required: boolean): string | undefined {
  if (minItems === 0) return maxItems === undefined ? undefined : `Choose at most ${maxItems}.`
  const orNone = required ? '' : ', or none'
  if (maxItems === undefined) return `Choose at least ${minItems}${orNone}.`
  return minItems === maxItems ? `Choose exactly ${minItems}${orNone}.` : `Choose ${minItems} to ${maxItems}${orNone}.`
}
