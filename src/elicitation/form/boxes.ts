import { present } from '../../base/json.ts'
import { labelOf, nothingChosen, optionsOf } from './options.ts'
import type { BooleanField, ChoicesField } from './schema.ts'

/** A list of choices as tick boxes, one for each option in order: for a revision whose forms know no lists. */
export interface Boxes {
  readonly list: string
  readonly field: ChoicesField
  readonly required: boolean
  readonly names: readonly string[]
}

/** Names a box for each option of a list by list and number, so that boxes never meet, nor any field among `taken`. */
export function nameBoxes(list: string, field: ChoicesField, required: boolean, taken: ReadonlySet<string>): Boxes {
  const names = optionsOf(field).map((_, index) => {
    let name = `${list}_${index + 1}`
    while (taken.has(name)) name += '_'
    return name
  })
  return { list, field, required, names }
}

/** The boxes as fields. None is required, as a box left alone is an answer; the first one explains them all. */
export function boxFields({ list, field, required, names }: Boxes): [string, BooleanField][] {
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
export function readBoxes({ field, required, names }: Boxes, given: ReadonlyMap<string, unknown>): unknown {
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
