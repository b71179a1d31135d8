import { visibleLine } from '../../base/text/visible-text.ts'
import { labelOf } from '../../elicitation/form/options.ts'
import type { Field } from '../../elicitation/form/schema.ts'
import type { FormReply, FormRequest } from '../ui.ts'
import { askField } from './ask-field.ts'
import { askerName, showAsker } from './asker.ts'
import type { Dialogue, DialogueExit } from './dialogue.ts'
import { valueText } from './field-text.ts'
import { cut, type Screen } from './screen.ts'

/** Asks field by field, then shows all answers. Nothing is sent before the person confirms (E11-06). */
export async function askFormInTerminal(
  dialogue: Dialogue,
  screen: Screen,
  request: FormRequest,
  answered: ReadonlySet<string> = new Set(),
): Promise<FormReply> {
  showAsker(screen, request, 'asks')
  for (const { field, message } of request.errors) if (field === '') screen.print(`✗ ${visibleLine(message, 1_000)}`)

  const form = new FilledForm(request)
  for (const name of form.names) {
    const isAsked = request.errors.length === 0 ? !answered.has(name) : form.problemWith(name) !== undefined
    const exit = isAsked ? await form.ask(dialogue, screen, name) : undefined
    if (exit !== undefined) return { action: exit.action }
  }
  return review(dialogue, screen, form)
}

async function review(dialogue: Dialogue, screen: Screen, form: FilledForm): Promise<FormReply> {
  const hasFields = form.names.length > 0
  const change = hasFields ? ' A number changes that answer.' : ''
  const send = hasFields ? 'send' : 'yes'
  for (;;) {
    form.show(screen)
    screen.print(`Type ${send} to send it.${change} :decline refuses, :cancel or Ctrl-C cancels.`, { style: 'dim' })
    const reply = await dialogue.ask(`Send to ${cut(visibleLine(askerName(form.request.asker)), 30)}? › `)
    if (reply.kind === 'exit') return { action: reply.action }

    const word = reply.kind === 'text' ? reply.text.toLowerCase() : `:${reply.name}`
    if (word === 'send' || word === 'yes' || word === 'y') return { action: 'accept', content: form.content() }
    const name = form.names[Number(word) - 1]
    const exit = name === undefined ? undefined : await form.ask(dialogue, screen, name)
    if (exit !== undefined) return { action: exit.action }
    if (name === undefined)
      screen.print(
        word === '' ? '✗ Nothing has been sent yet.' : `✗ ${visibleLine(word, 40)} is not one of the choices.`,
      )
  }
}

/** The answers to a form so far. */
class FilledForm {
  readonly request: FormRequest
  readonly names: readonly string[]
  readonly #values: Map<string, unknown>
  readonly #required: ReadonlySet<string>

  constructor(request: FormRequest) {
    this.request = request
    this.names = Object.keys(request.schema.properties)
    this.#values = new Map(Object.entries(request.filled))
    this.#required = new Set(request.schema.required)
  }

  problemWith(name: string): string | undefined {
    return this.request.errors.find((error) => error.field === name)?.message
  }

  async ask(dialogue: Dialogue, screen: Screen, name: string): Promise<DialogueExit | undefined> {
    const reply = await askField(dialogue, screen, {
      name,
      field: this.#field(name),
      required: this.#required.has(name),
      place: `${this.names.indexOf(name) + 1} of ${this.names.length}`,
      current: this.#values.get(name) ?? undefined,
      problem: this.problemWith(name),
    })
    if (reply.kind === 'exit') return reply
    this.#values.set(name, reply.value)
    return undefined
  }

  show(screen: Screen): void {
    screen.print()
    if (this.names.length === 0) return
    screen.title('Your answers')
    this.names.forEach((name, index) => {
      const field = this.#field(name)
      const label = visibleLine(labelOf(name, field), 60)
      screen.print(`${label}: ${valueText(field, this.#values.get(name))}`, { indent: `  ${index + 1}. ` })
    })
  }

  content(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.names.map((name) => [name, this.#values.get(name)]))
  }

  #field(name: string): Field {
    return this.request.schema.properties[name] as Field
  }
}
