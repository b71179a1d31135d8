import { BadArgument } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { checkMessage } from '../elicitation/limits.ts'
import type { ElicitationResult } from '../elicitation/result.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { type Account, accountOf, type ConnectionOptions, connectAsk, unusable } from './account.ts'
import { approveCall } from './approval/approve-call.ts'
import { type ApprovalOptions, decidedByHandler, toolCallOf } from './approval/tool-call.ts'
import { askForm, askPage } from './ask-question.ts'
import type { RequestContext } from './context.ts'
import { lookAgain } from './context.ts'
import { askedForm, type FormInput, type FormOutput } from './form.ts'
import { once } from './once.ts'
import { pageAsk } from './page.ts'
import type { Round } from './rounds/round.ts'

/** Options of every question. */
export interface AskOptions {
  /** Names the question within its handler. Default: its position among the handler's questions. */
  readonly key?: string
}

export interface PageOptions extends AskOptions {
  /** A name by which later calls find the answer, such as `api-key-stripe`. */
  readonly type?: string
  /** Data of your own that is kept with the question and passed to its page. */
  readonly metadata?: JsonObject
}

export interface SecretOptions extends PageOptions {
  /** The label of the field. Default: its name in words. */
  readonly fieldLabel?: string
  /** Shown in the empty field, such as how a key begins. */
  readonly placeholder?: string
  /** What the key is for, shown above the field. */
  readonly description?: string
}

export interface ConfirmOptions extends AskOptions {
  /** The heading of the page. Default: whether to let the server go ahead. */
  readonly title?: string
  /** Shown in a box of its own, such as that something cannot be undone. */
  readonly warning?: string
  /** The words on the button that says yes. Default: Yes, go ahead. */
  readonly confirmLabel?: string
  /** The words on the button that says no. Default: No. */
  readonly cancelLabel?: string
  /** `page`: an answer through the client does not count, only one on a page. Default: client. */
  readonly answer?: 'client' | 'page'
}

/**
 * Asks the person whose client sent the request, in straight-line code. Each method returns the answer, or throws
 * `AskRefused` if there is none. Everything above a question may run again: put what must run once into `once`.
 */
export interface Asks {
  /** Asks by a form in the client, or on a page where the client shows no forms. */
  form<Input extends FormInput>(message: string, schema: Input, options?: AskOptions): Promise<FormOutput<Input>>
  /** Sends the person to a page of your own, and waits until your code settles the question with `assent.answer`. */
  url(message: string, url: string, options?: PageOptions): Promise<ElicitationResult>
  /** Asks for a secret on one of Assent's pages; it never passes through the client. With a `type` it is asked for once. */
  secret(message: string, options?: SecretOptions): Promise<string>
  /** The requester's account at a provider. Asks the person to connect it, unless it is connected and usable. */
  connection(provider: string, options?: ConnectionOptions): Promise<Account>
  /** Asks for a yes or a no. The yes counts once. */
  confirm(message: string, options?: ConfirmOptions): Promise<void>
  /** Asks for approval of this call. The yes is for this call alone, and is spent at once. */
  approval(message: string, options?: ApprovalOptions): Promise<void>
  /** Runs `work` once in this call, however often the handler runs, and returns its result each time. */
  once<T>(name: string, work: () => Promise<T> | T): Promise<T>
}

/** The asks of one request. `round` collects the questions that end the request of a 2026 client. */
export function asksFor(context: RequestContext, round: Round): Asks {
  const asks = new RequestAsks(context, round)
  /** A person may take minutes, and what the handler does next may no longer be allowed then. */
  const during = <T>(ask: () => Promise<T>): Promise<T> =>
    round.during(async () => {
      const answer = await ask()
      await lookAgain(context)
      return answer
    })
  return {
    form: (...ask) => during(() => asks.form(...ask)),
    url: (...ask) => during(() => asks.url(...ask)),
    secret: (...ask) => during(() => asks.secret(...ask)),
    connection: (...ask) => during(() => asks.connection(...ask)),
    confirm: (...ask) => during(() => asks.confirm(...ask)),
    approval: (...ask) => during(() => asks.approval(...ask)),
    once: (name, work) => once(context, name, work),
  }
}

/** A class, so that a thousand waiting requests share the code of their asks. */
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
    // An object cannot hold an answer under this name.
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
    // Not by its position: when the handler runs again, another ask may be the first to miss the account.
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
    if (answer === 'page' || (!context.modes.form && (context.modes.url || context.inbox()))) {
      await askPage(context, this.#round, askKey, onPage)
      return
    }
    const form = askedForm(context.assent.limits, message, confirmForm(labels))
    const { value } = await askForm(context, this.#round, askKey, form, true)
    // An accept without the ticked box is not a yes.
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
      // What was approved is the rest of the handler, which runs now.
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

function apiKeyIn({ data }: ElicitationResult): string {
  if (typeof data?.apiKey === 'string') return data.apiKey
  throw new AskRefused('failed', 'What was given is not a key.', 'no-key')
}
