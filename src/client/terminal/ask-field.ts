import { visibleLine, visibleText } from '../../base/text/visible-text.ts'
import { coerceContent } from '../../elicitation/form/coerce.ts'
import { isChoice, labelOf, nothingChosen, optionsOf } from '../../elicitation/form/options.ts'
import type { Field } from '../../elicitation/form/schema.ts'
import { problemWith } from '../../elicitation/form/validate.ts'
import { arrowTexts, choose, chooseSeveral } from './choose.ts'
import type { Dialogue, DialogueExit } from './dialogue.ts'
import { inputHint, valueText } from './field-text.ts'
import type { Screen } from './screen.ts'

/** One field of a form, and what is filled in so far. */
export interface FieldAsk {
  readonly name: string
  readonly field: Field
  readonly required: boolean
  /** The position in the form, such as `2 of 5`. */
  readonly place: string
  readonly current: unknown
  readonly problem: string | undefined
}

/** What the person filled in. The value is undefined if they left the field out. */
export type FieldReply = { readonly kind: 'value'; readonly value: unknown } | DialogueExit

type Read = { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'problem'; readonly problem: string }

/** Asks for one field until the value is valid. */
export async function askField(dialogue: Dialogue, screen: Screen, ask: FieldAsk): Promise<FieldReply> {
  const { name, field, required, place, problem } = ask
  screen.print()
  screen.title(`${place}  ${visibleLine(labelOf(name, field))}${required ? ' (required)' : ''}`)
  if (field.description) screen.quote(visibleText(field.description), '  ')
  const options = isChoice(field) ? optionsOf(field) : []
  options.forEach(({ title }, index) => {
    screen.print(visibleLine(title), { indent: `  ${String(index + 1).padStart(String(options.length).length)}. ` })
  })
  screen.print(hint(ask), { indent: '  ', style: 'dim' })
  if (problem !== undefined) showProblem(screen, problem)

  for (;;) {
    const reply = await dialogue.ask('  › ', arrowTexts(options))
    if (reply.kind === 'exit') return reply
    const read = reply.kind === 'command' ? readCommand(ask, reply.name) : readText(ask, reply.text)
    if (read.kind === 'value') return read
    showProblem(screen, read.problem)
  }
}

function showProblem(screen: Screen, problem: string): void {
  screen.print(`✗ ${visibleLine(problem, 1_000)}`, { indent: '  ' })
}

function hint({ field, required, current }: FieldAsk): string {
  const has = current !== undefined
  return [
    inputHint(field),
    has ? `Enter takes ${valueText(field, current)}.` : required ? '' : 'Enter leaves it out.',
    has && field.type === 'array' && !field.minItems ? ':none takes none.' : '',
    has && !required ? ':skip leaves it out.' : '',
    ':decline refuses, :cancel or Ctrl-C cancels.',
  ]
    .filter(Boolean)
    .join(' ')
}

function readCommand(ask: FieldAsk, name: string): Read {
  if (name === 'skip') return ask.required ? missing(ask) : { kind: 'value', value: undefined }
  if (name === 'none' && ask.field.type === 'array') return checked(ask, nothingChosen(ask.field, ask.required))
  return {
    kind: 'problem',
    problem: `There is no :${name} here. For text that begins with a colon, type two.`,
  }
}

function readText(ask: FieldAsk, text: string): Read {
  const { name, field, current, required } = ask
  if (text === '') {
    if (current !== undefined) return checked(ask, current)
    return required ? missing(ask) : { kind: 'value', value: undefined }
  }
  if (isChoice(field)) {
    const chosen = field.type === 'array' ? chooseSeveral(optionsOf(field), text) : choose(optionsOf(field), text)
    if (chosen.kind === 'unclear') return { kind: 'problem', problem: chosen.problem }
    return checked(ask, 'values' in chosen ? chosen.values : chosen.value)
  }
  const meant = field.type === 'boolean' ? (booleanLetters.get(text.toLowerCase()) ?? text) : text
  return checked(ask, coerceContent({ type: 'object', properties: { [name]: field } }, [[name, meant]])[name])
}

const booleanLetters = new Map([
  ['y', 'yes'],
  ['n', 'no'],
])

function checked(ask: FieldAsk, value: unknown): Read {
  if (value === undefined) return ask.required ? missing(ask) : { kind: 'value', value }
  const problem = problemWith(ask.field, labelOf(ask.name, ask.field), value)
  return problem === undefined ? { kind: 'value', value } : { kind: 'problem', problem }
}

function missing({ name, field }: FieldAsk): Read {
  return { kind: 'problem', problem: `${labelOf(name, field)} is required.` }
}
