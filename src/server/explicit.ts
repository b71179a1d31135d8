import type { ServerContext } from '@modelcontextprotocol/server'
import type { Asks } from '../asking/asks.ts'
import { contextOf } from '../asking/context.ts'
import { PagesRequired, type RequiredPage } from '../asking/required-pages.ts'
import { AssentError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { ElicitationId, Question } from '../elicitation/elicitation.ts'
import type { Content } from '../elicitation/form/schema.ts'
import type { ElicitationResult } from '../elicitation/result.ts'
import { AskRefused } from '../mcp/refusal.ts'

export interface CreatedUrl {
  readonly elicitationId: ElicitationId
  readonly url: string
  /** Tells the client that the person has finished. Assent also does it by itself when the question is settled. */
  completionNotifier(): Promise<void>
}

/** Asking in single steps, for handlers that control each of them. */
export interface ExplicitAsking {
  /** Keeps a question that is answered on a page. `schema`: what the page asks for, as the form schema of MCP. */
  createUrl(params: {
    message: string
    path: string
    schema?: Record<string, unknown>
    metadata?: JsonObject
  }): Promise<CreatedUrl>
  /** Ends the handler: the client sends its person to these pages, and the handler runs again once they are done. */
  throwRequired(urls: readonly RequiredPage[]): never
  /** Whether the client can send its person to a page. */
  isSupported(): boolean
  /** The result of a question of this participant. Undefined while nobody has answered. */
  getResult(id: ElicitationId): Promise<ElicitationResult | undefined>
  /** The latest answer of the verified participant. Throws for any other user id. */
  findByUserAndType(userId: string, type: string): Promise<ElicitationResult | undefined>
  elicitForm(params: { message: string; requestedSchema: Record<string, unknown> }): Promise<FormResponse>
}

export type FormResponse =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel' }

/** A handler asked for the answers of another user than the one who sent the request. */
class AnotherUser extends AssentError {
  readonly code = 'participant_mismatch'
  constructor() {
    super('Answers are found for the verified participant only.')
  }
}

/** The explicit API for one request. `ask` is the one that its handler was given. */
export function explicitAsking(ctx: ServerContext, ask: Asks): ExplicitAsking {
  const context = contextOf(ctx)
  const { assent, call, modes, name, clocks } = context
  const { participant } = call.requester
  return {
    async createUrl({ message, path, schema, metadata = {} }) {
      const { elicitation } = await assent.ask({
        question: { mode: 'url', message, page: path, ...(schema !== undefined && { schema }) },
        purpose: purposeOf(path),
        ...(typeof metadata.type === 'string' && { type: metadata.type }),
        origin: { server: name },
        requester: call.requester,
        metadata,
        expiresInMs: clocks.question,
      })
      context.completeLater(elicitation.id)
      const { id, question } = elicitation
      return { elicitationId: id, url: urlIn(question), completionNotifier: () => context.complete(id) }
    },
    throwRequired(urls) {
      throw new PagesRequired(urls)
    },
    isSupported: () => modes.url,
    getResult: (id) => assent.getResult(participant, id),
    async findByUserAndType(userId, type) {
      if (userId !== participant) throw new AnotherUser()
      return assent.find(participant, type)
    },
    async elicitForm({ message, requestedSchema }) {
      try {
        return { action: 'accept', content: await ask.form(message, requestedSchema) }
      } catch (error) {
        if (error instanceof AskRefused && error.status === 'declined') return { action: 'decline' }
        if (error instanceof AskRefused && error.status === 'cancelled') return { action: 'cancel' }
        throw error
      }
    },
  }
}

function purposeOf(path: string): 'secret' | 'confirm' | 'input' {
  if (path === 'api-key') return 'secret'
  return path === 'confirm' ? 'confirm' : 'input'
}

function urlIn(question: Question): string {
  return question.mode === 'url' ? question.url : ''
}
