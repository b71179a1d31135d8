import { actionOf } from '../../asking/answers.ts'
import { askForm, formInInbox } from '../../asking/ask-question.ts'
import type { RequestContext } from '../../asking/context.ts'
import { lookAgain } from '../../asking/context.ts'
import type { AskedForm } from '../../asking/form.ts'
import { askedServerForm } from '../../asking/form.ts'
import { sameQuestion } from '../../asking/rounds/ask.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { digest } from '../../base/canonical.ts'
import { AssentError } from '../../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts'
import { fromUpstream } from '../../base/text/provenance.ts'
import { codes } from '../../mcp/codes.ts'
import { codeOf } from '../../mcp/errors.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { AskReply, RpcError, UpstreamHooks } from '../upstream/upstream.ts'
import { askOpen, type Opened, type Page } from './ask-open.ts'

/** What is needed to pass a question of an upstream on. `context.name` is that upstream. */
export interface Passing {
  readonly context: RequestContext
  readonly round: Round
  /** False: upstreams may not ask (`elicitation: false`). */
  readonly asks: boolean
  /** Whether the inbox can be asked where the client cannot. */
  readonly inbox: boolean
  /** Whether the upstream may ask one more question now. Counts it. */
  mayAsk(): boolean
  /** Called when something is asked. */
  asked?(): void
  /** Called when a question waits in the inbox for longer than the call can be held: the call ends with this. */
  pending?(refusal: AskRefused): void
  /** Called when a 2025 client agreed to open a page for which the upstream gave no id. */
  opened?(elicitationId: string): void
}

/** The reason for questions beyond `limits.asksPerMinute`. */
export const tooManyAsks = 'too-many-asks'

/** Asks the requester what an upstream asks, in the revision of their client, and returns the answer as the upstream expects it. */
export function passAsk(passing: Passing, key: string, method: string, params: JsonObject): Promise<AskReply> {
  passing.asked?.()
  // The round does not end while another question of the upstream may still be added.
  return passing.round.during(async () => {
    try {
      if (method === 'elicitation/create') return await passElicitation(passing, key, params)
      return await passRequest(passing, key, method, params)
    } catch (error) {
      if (error instanceof AskRefused && error.status === 'pending') passing.pending?.(error)
      return failed(error, passing.context.name)
    }
  })
}

/** The same for a call in flight at a 2025 upstream. Its answer lets the call act, so it is given only if the call still may. */
export async function passAskInFlight(
  passing: Passing,
  key: string,
  method: string,
  params: JsonObject,
): Promise<AskReply> {
  const reply = await passAsk(passing, key, method, params)
  if (!('result' in reply) || isNo(reply.result)) return reply
  try {
    await lookAgain(passing.context)
    return reply
  } catch (error) {
    return failed(error, passing.context.name)
  }
}

function isNo({ action }: JsonObject): boolean {
  return action === 'decline' || action === 'cancel'
}

async function passElicitation(passing: Passing, key: string, params: JsonObject): Promise<AskReply> {
  const { context, round, asks, inbox } = passing
  if (!asks) return refuse(codes.methodNotFound, 'Nobody can be asked here')
  if (!context.modes.form && !context.modes.url && !inbox)
    return refuse(codes.methodNotFound, 'The client cannot be asked')
  const { mode = 'form', message, url, requestedSchema, elicitationId } = params
  if (typeof message !== 'string') return refuse(codes.invalidParams, 'A question needs a message')
  if (mode === 'url') {
    if (!context.modes.url && !inbox) return refuse(codes.invalidParams, 'The client did not declare url mode')
    const page = { message, url: String(url), ...(typeof elicitationId === 'string' && { elicitationId }) }
    return { result: { action: await passPage(passing, key, page) } }
  }
  if (mode !== 'form') return refuse(codes.invalidParams, `There is no mode "${String(mode)}"`)
  if (!isPlainObject(requestedSchema)) return refuse(codes.invalidParams, 'A form needs a schema')

  const form = askedServerForm(context.assent.limits, fromUpstream(context.name, message), requestedSchema)
  if (!context.modes.form) {
    return inbox
      ? fillInInbox(context, round, key, form)
      : refuse(codes.invalidParams, 'The client did not declare form mode')
  }
  // No fallback to a page: the upstream waits only for a limited time.
  const { value } = await askForm({ ...context, modes: { form: true, url: false } }, round, key, form, false)
  return { result: { action: 'accept', content: value as Json } }
}

/** Asks whether the person will open an upstream's page, in their client or in their inbox. */
export function passPage({ context, round, opened }: Passing, key: string, page: Page): Promise<Opened> {
  return askOpen(context, round, key, page, opened)
}

/** Limits how often an upstream may ask during a call. Only questions to people count: sampling and roots pass. */
export function unlessTooOften(passing: Passing, { asked, ...hooks }: UpstreamHooks): UpstreamHooks {
  if (asked === undefined) return hooks
  return {
    ...hooks,
    asked: async (method, params, signal) =>
      method !== 'elicitation/create' || passing.mayAsk()
        ? asked(method, params, signal)
        : refuse(codes.refused, 'Too many questions in a minute', tooManyAsks),
  }
}

/** Ends the call of an upstream that asks too often by its results. */
export function checkAskingRate({ context, mayAsk }: Passing, questions: number): void {
  for (let n = 0; n < questions; n += 1) {
    if (mayAsk()) continue
    throw new AskRefused('failed', `${context.name} asks too many questions in a minute. Try again later.`, tooManyAsks)
  }
}

/** Sampling and roots are passed on to a client that declared them. */
async function passRequest(
  { context, round }: Passing,
  key: string,
  method: string,
  params: JsonObject,
): Promise<AskReply> {
  const { capabilities, ctx, revision, walk, responses, clocks } = context
  const needed = method.split('/')[0] as string
  if (capabilities[needed] === undefined) return refuse(codes.methodNotFound, `The client does not offer ${needed}`)
  if (!isPerRequest(revision)) {
    const options = { timeout: clocks.question, signal: ctx.mcpReq.signal }
    return { result: (await ctx.mcpReq.send({ method, params } as never, options)) as JsonObject }
  }
  const fingerprint = digest([method, params])
  const before = sameQuestion(key, walk.answered, fingerprint)
  if (before?.value !== undefined) return { result: before.value as JsonObject }
  const given = sameQuestion(key, walk.pending, fingerprint) && responses.get(key)
  if (!isPlainObject(given)) {
    walk.pending[key] = { fingerprint }
    return round.putRequest(key, { method, params })
  }
  delete walk.pending[key]
  walk.answered[key] = { fingerprint, value: given as Json }
  return { result: given as JsonObject }
}

function refuse(code: number, message: string, reason?: string): { readonly error: RpcError } {
  return { error: { code, message, ...(reason !== undefined && { data: { status: 'refused', reason } }) } }
}

/** A person's no is an answer. If nobody answered, the upstream gets an error with the reason, never a made-up no. */
function failed(error: unknown, server: string): AskReply {
  if (error instanceof AskRefused) {
    const action = actionOf(error)
    return action === undefined ? refuse(codes.refused, error.message, error.reason) : { result: { action } }
  }
  if (error instanceof AssentError) {
    const code = codeOf(error.code)
    const message = isFormFault(error) ? `${error.message} ${blameFor(server)}` : error.message
    return refuse(code === codes.internalError ? codes.refused : code, message, error.code)
  }
  return refuse(codes.refused, 'The question could not be put to anybody', 'unanswered')
}

/** The model reads it in the end, and must not think that it called the tool wrongly. */
const blameFor = (server: string) =>
  `This is a fault of the server ${server}, not of the call: whoever runs ${server} has to mend its form.`

function isFormFault({ code }: AssentError): boolean {
  return code === 'form_refused' || code === 'form_asks_secret'
}

/** Asks the requester in the inbox, while the upstream waits, because their client shows no forms. */
async function fillInInbox(context: RequestContext, round: Round, key: string, form: AskedForm): Promise<AskReply> {
  const { assent, name } = context
  assent.events.tell({ kind: 'fallback', server: name, reason: 'upstream-form-in-inbox' })
  const { value } = await formInInbox(context, round, key, form, false)
  return { result: { action: 'accept', content: value as Json } }
}
