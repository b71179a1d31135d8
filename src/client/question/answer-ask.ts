import { isPlainObject } from '../../base/json.ts'
import { checkForm } from '../../elicitation/form/check.ts'
import { withDefaults } from '../../elicitation/form/defaults.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import { type FieldError, validateContent } from '../../elicitation/form/validate.ts'
import type { Conversation } from '../conversation.ts'
import type { HumanTime } from '../human-time.ts'
import { judgeUrl } from '../page/url-safety.ts'
import { type ReadAsk, readAsk } from './read-ask.ts'

/** An answer as the protocol spells it. */
export type WireAnswer = { action: 'accept'; content?: Record<string, unknown> } | { action: 'decline' | 'cancel' }

/** A question that a client cannot make sense of; a server of 2025 is told -32602 (E11-29). */
class BadAsk extends Error {
  readonly code = -32_602
}

/** A question of a server, as far as it must be understood to be asked. */
export type Ask =
  | { readonly mode: 'form'; readonly ask: ReadAsk; readonly schema: FormSchema }
  | { readonly mode: 'url'; readonly ask: ReadAsk; readonly url: string; readonly elicitationId: string | undefined }

/** Reads what a server asks, and throws where it makes no sense. */
export function readParams(conversation: Conversation, params: unknown): Ask {
  if (!isPlainObject(params)) throw new BadAsk('The question is no object.')
  const { mode = 'form', message, requestedSchema, url, elicitationId } = params
  const ask = readAsk(conversation, message)
  switch (mode) {
    case 'form':
      return { mode, ask, schema: schemaOf(requestedSchema) }
    case 'url':
      if (typeof url !== 'string') throw new BadAsk('The question names no page.')
      return { mode, ask, url, elicitationId: typeof elicitationId === 'string' ? elicitationId : undefined }
    default:
      throw new BadAsk('This client knows no such mode.')
  }
}

function schemaOf(given: unknown): FormSchema {
  try {
    return checkForm(given, undefined, 'tolerant')
  } catch (error) {
    throw new BadAsk(error instanceof Error ? error.message : String(error))
  }
}

/** Nothing is sent that does not fit: the person is shown what is wrong, as often as it takes (E11-40). */
export function askForm(
  { ui, inTurn }: Conversation,
  { ask, schema }: Extract<Ask, { mode: 'form' }>,
  human: HumanTime,
): Promise<WireAnswer> {
  const fillIn = async (signal: AbortSignal): Promise<WireAnswer> => {
    let filled = withDefaults(schema, {}) as Record<string, unknown>
    let errors: readonly FieldError[] = []
    for (;;) {
      signal.throwIfAborted()
      const reply = await ui.form({ ...ask, schema, filled, errors, signal })
      if (reply.action !== 'accept') return { action: reply.action }
      const validated = validateContent(schema, completed(schema, reply.content))
      if (validated.kind === 'valid') return { action: 'accept', content: { ...validated.content } }
      filled = { ...reply.content }
      errors = validated.errors
    }
  }
  return human.spend((signal) => inTurn(signal, () => fillIn(signal)))
}

/** What came of asking whether to open a page. */
export type Consent =
  | { readonly kind: 'opened'; readonly url: string }
  | { readonly kind: 'refused'; readonly action: 'decline' | 'cancel' }
  /** It must not be opened, and was not even offered; the person was told. */
  | { readonly kind: 'unsafe'; readonly reason: string }

/** The person sees a page's whole address and says whether to open it; before that nothing of it is touched (E11-36). */
export async function consent(
  { ui, inTurn }: Conversation,
  ask: ReadAsk,
  address: string,
  human: HumanTime,
): Promise<Consent> {
  const judged = judgeUrl(address)
  if (judged.kind === 'refused') {
    ui.pageRefused({ ...ask, reason: judged.reason })
    return { kind: 'unsafe', reason: judged.reason }
  }
  const { url, host, warnings } = judged
  return human.spend((signal) =>
    inTurn(signal, async () => {
      const said = await ui.consentToOpen({ ...ask, url, host, warnings, signal })
      // A yes that comes when nobody wants it any more opens nothing.
      signal.throwIfAborted()
      if (said !== 'open') return { kind: 'refused', action: said }
      await ui.open(url)
      return { kind: 'opened', url }
    }),
  )
}

/** Accept means that the page was opened, and no more (E11-19). */
export function answerOf(consent: Consent): WireAnswer {
  switch (consent.kind) {
    case 'opened':
      return { action: 'accept' }
    case 'refused':
      return { action: consent.action }
    case 'unsafe':
      return { action: 'decline' }
  }
}

/** Defaults for what was not answered. What the person left out on purpose is there as undefined, and stays out (E11-06). */
function completed(schema: FormSchema, content: Readonly<Record<string, unknown>>): unknown {
  const all = withDefaults(schema, content)
  const leftOut = new Set(Object.keys(content).filter((name) => content[name] === undefined))
  return Object.fromEntries(Object.entries(all as object).filter(([name]) => !leftOut.has(name)))
}
