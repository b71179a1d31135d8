import { visibleLine } from '../../base/text/visible-text.ts'
import type { TitledOption } from '../../elicitation/form/schema.ts'

/** The option of a list that the typed text means, or why it means none. */
export type Chosen =
  | { readonly kind: 'chosen'; readonly value: string }
  | { readonly kind: 'unclear'; readonly problem: string }

/** Finds an option by its number, its title, its value, or the beginning of its title. Never guesses between two. */
export function choose(options: readonly TitledOption[], text: string): Chosen {
  const exact = options.filter((option, index) => isNamed(option, index, text))
  const found = exact.length > 0 ? exact : options.filter((option) => fold(option.title).startsWith(fold(text)))
  const [first, second] = found
  if (first === undefined) return unclear(`${visibleLine(text, 40)} is not in the list.`)
  if (second === undefined) return { kind: 'chosen', value: first.const }
  return unclear(
    `${visibleLine(text, 40)} matches more than one option. Type # and the number of the option, such as #1.`,
  )
}

/** Finds several options, separated by commas. */
export function chooseSeveral(
  options: readonly TitledOption[],
  text: string,
): { readonly kind: 'chosen'; readonly values: string[] } | Extract<Chosen, { kind: 'unclear' }> {
  const values = new Set<string>()
  for (const part of text.split(',').map((part) => part.trim())) {
    if (part === '') continue
    const chosen = choose(options, part)
    if (chosen.kind === 'unclear') return chosen
    values.add(chosen.value)
  }
  return { kind: 'chosen', values: [...values] }
}

/** The text that the arrow keys enter for each option. `choose` understands it. */
export function arrowTexts(options: readonly TitledOption[]): string[] {
  return options.map((option, index) => `#${index + 1} ${visibleLine(option.title, 60)}`)
}

function isNamed(option: TitledOption, index: number, text: string): boolean {
  const [, hash, number] = /^(#?)(\d{1,4})(?:$| (?=.))/.exec(text) ?? []
  if (hash === '#') return Number(number) === index + 1
  const isNumber = number === text && Number(number) === index + 1
  return isNumber || option.const === text || fold(visibleLine(option.title)) === fold(text)
}

function fold(text: string): string {
  return text.trim().toLowerCase()
}

const unclear = (problem: string): Extract<Chosen, { kind: 'unclear' }> => ({ kind: 'unclear', problem })
