import type { ChoiceField, ChoicesField, Field, TitledOption } from './schema.ts'

/** Whether the field offers options, one or several of which are chosen. */
export function isChoice(field: Field): field is ChoiceField | ChoicesField {
  return field.type === 'array' || 'enum' in field || 'oneOf' in field
}

/** The options of a field with the words for each, in the author's order, whichever of the five shapes they came in. */
export function optionsOf(field: ChoiceField | ChoicesField): readonly TitledOption[] {
  if (field.type === 'array') return 'anyOf' in field.items ? field.items.anyOf : titled(field.items.enum)
  return 'oneOf' in field ? field.oneOf : titled(field.enum, field.enumNames)
}

/** What it means that nothing was ticked: an empty list, or no answer at all where an empty list could never be valid. */
export function nothingChosen(field: ChoicesField, required: boolean): readonly string[] | undefined {
  return required || !field.minItems ? [] : undefined
}

function titled(values: readonly string[], titles: readonly string[] = values): TitledOption[] {
  return values.map((value, index) => ({ const: value, title: titles[index] ?? value }))
}

/** What a person calls the field: its title, or else its name in words. */
export function labelOf(name: string, field: Field): string {
  return field.title?.trim() || inWords(name) || name
}

function inWords(name: string): string {
  const words = name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .split(/[\s_.-]/u)
    .filter((word) => word !== '')
    .map((word) => (word === word.toUpperCase() ? word : word.toLowerCase()))
    .join(' ')
  const [first = '', ...rest] = words
  return first.toUpperCase() + rest.join('')
}
