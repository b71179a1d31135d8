import { isPlainObject } from '../../base/json.ts'
import { checkForm } from '../../elicitation/form/check.ts'
import { withDefaults } from '../../elicitation/form/defaults.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import { type FieldError, validateContent } from '../../elicitation/form/validate.ts'
import { codes } from '../../mcp/codes.ts'
import type { ClientContext } from '../client-context.ts'
import type { HumanTime } from '../human-time.ts'
import { checkPageUrl } from '../page/url-safety.ts'
import { isShownInFull, type VisibleAsk, visibleAsk } from './visible-ask.ts'

/** An elicitation result in the form of the protocol. */
export type WireAnswer = { action: 'accept'; content?: Record<string, unknown> } | { action: 'decline' | 'cancel' }

/** A malformed question. A 2025 server gets the error -32602 (E11-29). */
class BadAsk extends Error {
  readonly code = codes.invalidParams
}

/** A question of a server, parsed. */
export type ServerAsk =
  | { readonly mode: 'form'; readonly ask: VisibleAsk; readonly schema: FormSchema }
  | { readonly mode: 'url'; readonly ask: VisibleAsk; readonly url: string; readonly elicitationId: string | undefined }

/** Parses a server's question. Throws if it is malformed. */
export function readServerAsk(context: ClientContext, params: unknown): ServerAsk {
  if (!isPlainObject(params)) throw new BadAsk('The question is not an object.')
  const { mode = 'form', message, requestedSchema, url, elicitationId } = params
  const ask = visibleAsk(context, message)
  switch (mode) {
    case 'form':
      if (!isShownInFull(message)) throw new BadAsk('The message is too long for a person to be shown all of it.')
      return { mode, ask, schema: schemaOf(requestedSchema) }
    case 'url':
      if (typeof url !== 'string') throw new BadAsk('The question has no url.')
      return { mode, ask, url, elicitationId: typeof elicitationId === 'string' ? elicitationId : undefined }
    default:
      throw new BadAsk('This client does not support this elicitation mode.')
  }
}

function schemaOf(given: unknown): FormSchema {
  try {
    return checkForm(given, undefined, 'tolerant')
  } catch (error) {
    throw new BadAsk(error instanceof Error ? error.message : String(error))
  }
}

/** Shows the form until its content is valid or the person refuses. Invalid content is never sent (E11-40). */
export function answerForm(
  { ui, enqueue }: ClientContext,
  { ask, schema }: Extract<ServerAsk, { mode: 'form' }>,
  human: HumanTime,
): Promise<WireAnswer> {
  const fillIn = async (signal: AbortSignal): Promise<WireAnswer> => {
    let filled = withDefaults(schema, {}) as Record<string, unknown>
    let errors: readonly FieldError[] = []
    for (;;) {
      signal.throwIfAborted()
      const reply = await ui.form({ ...ask, schema, filled, errors, signal })
      if (reply.action !== 'accept') return { action: reply.action }
      const validated = validateContent(schema, withRemainingDefaults(schema, reply.content))
      if (validated.kind === 'valid') return { action: 'accept', content: { ...validated.content } }
      filled = { ...reply.content }
      errors = validated.errors
    }
  }
  return human.spend((signal) => enqueue(signal, () => fillIn(signal)))
}

/** What the person decided about opening a page. */
export type PageConsent =
  | { readonly kind: 'opened'; readonly url: string }
  | { readonly kind: 'refused'; readonly action: 'decline' | 'cancel' }
  /** The address is not safe. The person was told and was not asked. */
  | { readonly kind: 'unsafe'; readonly reason: string }

/** Shows the full address of a page and opens it if the person agrees. Nothing is fetched before that (E11-36). */
export async function askToOpenPage(
  { ui, enqueue }: ClientContext,
  ask: VisibleAsk,
  address: string,
  human: HumanTime,
): Promise<PageConsent> {
  const checked = checkPageUrl(address)
  if (checked.kind === 'refused') {
    ui.pageRefused({ ...ask, reason: checked.reason })
    return { kind: 'unsafe', reason: checked.reason }
  }
  const { url, host, warnings } = checked
  return human.spend((signal) =>
    enqueue(signal, async () => {
      const reply = await ui.consentToOpen({ ...ask, url, host, warnings, signal })
      // A yes that comes after the call has ended opens nothing.
      signal.throwIfAborted()
      if (reply === 'decline' || reply === 'cancel') return { kind: 'refused', action: reply }
      if (reply === 'open') await ui.open(url)
      return { kind: 'opened', url }
    }),
  )
}

/** `accept` only means that the page was opened (E11-19). */
export function wireAnswerOf(consent: PageConsent): WireAnswer {
  switch (consent.kind) {
    case 'opened':
      return { action: 'accept' }
    case 'refused':
      return { action: consent.action }
    case 'unsafe':
      return { action: 'decline' }
  }
}

/**
 * Adds defaults for missing fields. A field that is present as undefined was left out on purpose and stays out
 * (E11-06).
 */
function withRemainingDefaults(schema: FormSchema, content: Readonly<Record<string, unknown>>): unknown {
  const all = withDefaults(schema, content)
  const leftOut = new Set(Object.keys(content).filter((name) => content[name] === undefined))
  return Object.fromEntries(Object.entries(all as object).filter(([name]) => !leftOut.has(name)))
}
