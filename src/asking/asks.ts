import { BadArgument } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ElicitationResult } from '../elicitation/result.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { type Account, accountOf, type ConnectionOptions, connectAsk, unusable } from './account.ts'
import { tooManyTries } from './answers.ts'
import { approveCall } from './approval/approve-call.ts'
import { type ApprovalOptions, decidedByHandler, toolCallOf } from './approval/tool-call.ts'
import type { RequestContext } from './context.ts'
import { type AskedForm, askedForm, checkMessage, type FormInput, type FormOutput } from './form.ts'
import { once } from './once.ts'
import { type PageAsk, pageAsk } from './page.ts'
import { askByError } from './push/ask-by-error.ts'
import { pushForm, pushPage } from './push/push.ts'
import { putForm, putPage } from './rounds/ask.ts'
import type { Round } from './rounds/round.ts'

/** What every question may be told. */
export interface AskOptions {
  /** Names the question within its handler; by its place, unless said otherwise. */
  readonly key?: string
}

export interface PageOptions extends AskOptions {
  /** Finds the answer again in later calls, such as `api-key-stripe`. */
  readonly type?: string
  readonly metadata?: JsonObject
}

export interface SecretOptions extends PageOptions {
  readonly fieldLabel?: string
  readonly placeholder?: string
  readonly description?: string
}

export interface ConfirmOptions extends AskOptions {
  readonly title?: string
  readonly warning?: string
  readonly confirmLabel?: string
  readonly cancelLabel?: string
  /** `page`: the client's word is not enough; the person must say yes on a page. */
  readonly answer?: 'client' | 'page'
}

/**
 * Asks the person whose client sent the request, in a handler that reads from top to bottom. Each gives the answer, or
 * throws `AskRefused` when there is none. Everything above a question may run again: put what must not into `once`.
 */
export interface Asks {
  /** Asks by a form, in the client. */
  form<Input extends FormInput>(message: string, schema: Input, options?: AskOptions): Promise<FormOutput<Input>>
  /** Sends the person to a page elsewhere, and waits until it is settled through `answer`. */
  url(message: string, url: string, options?: PageOptions): Promise<ElicitationResult>
  /** Asks for a secret on a page of ours. It never passes through the client; with a `type` it is asked for once. */
  secret(message: string, options?: SecretOptions): Promise<string>
  /** The requester's account at a provider. Connected already and good, nobody is asked. */
  connection(provider: string, options?: ConnectionOptions): Promise<Account>
  /** Asks for a yes, which counts once. */
  confirm(message: string, options?: ConfirmOptions): Promise<void>
  /** Asks for approval of this call, by whoever may give it. The yes is for this call alone, and spent when it comes. */
  approval(message: string, options?: ApprovalOptions): Promise<void>
  /** Does something once in this call, however often its handler runs, and remembers what came of it. */
  once<T>(name: string, work: () => Promise<T> | T): Promise<T>
}

/** The asks of one visit. `round` collects what cannot be asked while the request is under way. */
export function asksFor(context: RequestContext, round: Round): Asks {
  const asks = new RequestAsks(context, round)
  return {
    form: (...ask) => round.during(() => asks.form(...ask)),
    url: (...ask) => round.during(() => asks.url(...ask)),
    secret: (...ask) => round.during(() => asks.secret(...ask)),
    connection: (...ask) => round.during(() => asks.connection(...ask)),
    confirm: (...ask) => round.during(() => asks.confirm(...ask)),
    approval: (...ask) => round.during(() => asks.approval(...ask)),
    once: (name, work) => once(context, name, work),
  }
}

/** A class, so that a thousand who wait share the code of their asks. */
class RequestAsks implements Omit<Asks, 'once'> {
  readonly #context: RequestContext
  readonly #round: Round
  #place = 0

  constructor(context: RequestContext, round: Round) {
    this.#context = context
    this.#round = round
  }

  #keyOf(key: string | undefined): string {
    this.#place++
    // No object can hold an answer under this name.
    if (key === '__proto__') throw new BadArgument('A question cannot have this key.')
    return key ?? `${this.#place}`
  }

  async form<Input extends FormInput>(
    message: string,
    schema: Input,
    { key }: AskOptions = {},
  ): Promise<FormOutput<Input>> {
    const askKey = this.#keyOf(key)
    const form = askedForm(this.#context.assent.limits, message, schema)
    const { value } = await askForm(this.#context, this.#round, askKey, form, false)
    return value as never
  }

  async url(message: string, url: string, { type, metadata = {}, key }: PageOptions = {}): Promise<ElicitationResult> {
    checkMessage(this.#context.assent.limits, message)
    const question = { mode: 'url', message, url } as const
    const ask = pageAsk({ question, purpose: 'input', ...(type !== undefined && { type }), metadata })
    return askPage(this.#context, this.#round, this.#keyOf(key), ask)
  }

  async secret(message: string, { type, metadata, key, ...labels }: SecretOptions = {}): Promise<string> {
    const askKey = this.#keyOf(key)
    const { assent, call } = this.#context
    const known = type === undefined ? undefined : await assent.find(call.requester.participant, type)
    if (known?.success) return apiKeyIn(known)

    const question = { mode: 'url', message, page: 'api-key' } as const
    const all = { ...metadata, ...labels }
    const ask = pageAsk({ question, purpose: 'secret', ...(type !== undefined && { type }), metadata: all })
    return apiKeyIn(await askPage(this.#context, this.#round, askKey, ask))
  }

  async connection(provider: string, { key, ...options }: ConnectionOptions = {}): Promise<Account> {
    this.#keyOf(key)
    const context = this.#context
    const held = await accountOf(context, provider, options.scopes)
    if (held !== undefined) return held
    const ask = connectAsk(context, provider, options)
    // Not by its place: walked again, an earlier ask for the same account may be the first to miss it.
    await askPage(context, this.#round, key ?? `connect ${ask.fingerprint}`, ask)
    const connected = await accountOf(context, provider, options.scopes)
    if (connected === undefined) throw unusable(context.assent, provider)
    return connected
  }

  async confirm(message: string, { answer = 'client', key, ...labels }: ConfirmOptions = {}): Promise<void> {
    const askKey = this.#keyOf(key)
    const context = this.#context
    const onPage = pageAsk({
      question: { mode: 'url', message, page: 'confirm' },
      purpose: 'confirm',
      metadata: { ...labels },
    })
    if (answer === 'page' || (!context.modes.form && context.modes.url)) {
      await askPage(context, this.#round, askKey, onPage)
      return
    }
    const form = askedForm(context.assent.limits, message, confirmForm(labels))
    const { value } = await askForm(context, this.#round, askKey, form, true)
    // Accept without the yes itself is not a yes.
    if ((value as { confirm?: unknown }).confirm !== true)
      throw new AskRefused('declined', 'The person did not say yes.')
  }

  async approval(message: string, { key, ...options }: ApprovalOptions = {}): Promise<void> {
    const askKey = this.#keyOf(key)
    const context = this.#context
    checkMessage(context.assent.limits, message)
    await approveCall(context, this.#round, {
      key: askKey,
      call: toolCallOf(context),
      byHandler: decidedByHandler(context, message, options),
      // The handler itself is what runs now.
      send: async () => ({ result: undefined, outcome: 'done' }),
    })
  }
}

function confirmForm({ warning, confirmLabel = 'Yes, go ahead' }: ConfirmOptions): Record<string, unknown> {
  const confirm = {
    type: 'boolean',
    title: confirmLabel,
    default: false,
    ...(warning !== undefined && { description: warning }),
  }
  return { type: 'object', properties: { confirm }, required: ['confirm'] }
}

/** Asks by a form in the client, or by a page of ours where it shows none. */
export async function askForm(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown }> {
  const { revision, modes } = context
  if (isPerRequest(revision)) {
    if (modes.form) return putForm(context, round, key, form, isYes)
    if (!modes.url) return lack(context, round, 'form')
    fellBack(context, 'form-undeclared')
  } else if (revision !== undefined && modes.form && context.canPush) {
    const pushed = await pushForm(context, revision, key, form, isYes)
    if (pushed !== undefined) return pushed
    fellBack(context, 'unanswered')
    if (!modes.url) throw new AskRefused('expired', 'Nobody answered in time.', 'unanswered')
  } else {
    fellBack(context, context.canPush ? 'form-undeclared' : 'no-session')
    if (!modes.url) throw cannotAsk(context, 'form')
  }
  const question = { mode: 'url', message: form.message, page: 'form', schema: form.schema } as const
  const ask = pageAsk({ question, purpose: isYes ? 'confirm' : 'input', metadata: {} })
  const { data = {} } = await askPage(context, round, key, ask)
  const read = await form.read(data)
  if (read.kind === 'invalid') throw tooManyTries(read.errors)
  return { value: read.value }
}

async function askPage(context: RequestContext, round: Round, key: string, ask: PageAsk): Promise<ElicitationResult> {
  const { assent, call, revision, modes, canPush, urlBy, assumeUrl } = context
  const resultOf = async ({ id }: Elicitation) => {
    const result = await assent.getResult(call.requester.participant, id)
    if (result?.success !== true) throw new AskRefused('failed', 'The answer is gone.', 'deleted')
    return result
  }
  if (isPerRequest(revision)) {
    return modes.url ? resultOf(await putPage(context, round, key, ask)) : lack(context, round, 'url')
  }
  if (revision !== undefined && modes.url && canPush && urlBy === 'push') {
    return resultOf(await pushPage(context, revision, key, ask))
  }
  if ((modes.url && canPush) || (!canPush && assumeUrl)) return askByError(context, round, key, ask)
  fellBack(context, canPush ? 'url-undeclared' : 'no-session')
  throw cannotAsk(context, 'url')
}

function apiKeyIn({ data }: ElicitationResult): string {
  if (typeof data?.apiKey === 'string') return data.apiKey
  throw new AskRefused('failed', 'What was given is not a key.', 'no-key')
}

/** A 2026 client is told what it lacks by an error, before anything is kept (B26-10). */
function lack(context: RequestContext, round: Round, mode: 'form' | 'url'): Promise<never> {
  fellBack(context, `${mode}-undeclared`)
  context.lacks.add(mode)
  return round.rest()
}

function cannotAsk({ canPush }: RequestContext, mode: 'form' | 'url'): AskRefused {
  const what = mode === 'form' ? 'show a form' : 'send anyone to a page'
  const reason = canPush ? `${mode}-undeclared` : 'no-session'
  return new AskRefused('cannot-ask', `This needs an answer from a person, and the client cannot ${what}.`, reason)
}

function fellBack({ assent, name }: RequestContext, reason: string): void {
  assent.events.tell({ kind: 'fallback', server: name, reason })
}
