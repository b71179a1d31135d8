import type { Field } from './schema.ts'

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
