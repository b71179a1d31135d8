import { randomUUID } from 'node:crypto'
import { askedServerForm } from '../asking/form.ts'
import type { AssentForServers } from '../asking/needs.ts'
import { fromUpstream } from '../base/text/provenance.ts'
import type { Ask } from '../elicitation/asking/request.ts'
import { checkUrl } from '../elicitation/asking/url.ts'
import { BadQuestion } from '../elicitation/errors.ts'
import type { Requester } from '../participant/requester.ts'

/** A question of an MCP server, as agents' frameworks pass it on. */
export interface AgentQuestion {
  /** The server that asks, as the person knows it. Default: the gate's `server`. */
  readonly serverName?: string | undefined
  readonly message: string
  /** Default: form. */
  readonly mode?: string | undefined
  readonly requestedSchema?: unknown
  readonly url?: string | undefined
}

/** The answer in the words of MCP. Accept to a url means that the person opened the page. */
export interface AgentAnswer {
  [key: string]: unknown
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

interface Asking {
  readonly server: string
  readonly requester: Requester
  readonly holdMs: number
  readonly signal?: AbortSignal
}

const unanswered: AgentAnswer = { action: 'cancel' }

/** Puts a question of a server to the requester, in the inbox, and waits. A question that nobody answers in time is taken back. */
export async function askPerson(assent: AssentForServers, asked: AgentQuestion, asking: Asking): Promise<AgentAnswer> {
  const { mode = 'form' } = asked
  const server = asked.serverName ?? asking.server
  const message = fromUpstream(server, asked.message)
  if (mode === 'url') {
    const result = await answerTo(assent, pageAsk(message, asked.url), server, asking)
    return result === undefined ? unanswered : { action: result.action }
  }
  if (mode !== 'form') throw new BadQuestion(`There is no mode "${mode}".`)
  const { schema, read } = askedServerForm(assent.limits, message, asked.requestedSchema)
  const result = await answerTo(assent, { question: { mode, message, schema }, purpose: 'input' }, server, asking)
  if (result === undefined) return unanswered
  if (!result.success) return { action: result.action }
  const answer = await read(result.data ?? {})
  // The person's page knows no patterns: what does not fit the server's is no answer.
  return answer.kind === 'valid' ? { action: 'accept', content: { ...answer.content } as never } : unanswered
}

/** Whether the person will open a page, whose whole address they are shown. */
function pageAsk(message: string, url: string | undefined): Pick<Ask, 'question' | 'purpose' | 'metadata'> {
  // The normal form, in which letters of other alphabets cannot imitate a host that people know.
  const { href, host } = new URL(checkUrl(url ?? ''))
  return {
    question: { mode: 'url', message: `${message}\n${href}`, page: 'confirm' },
    purpose: 'confirm',
    metadata: { title: `Go to ${host}?`, link: href, confirmLabel: 'I opened it', cancelLabel: 'No' },
  }
}

async function answerTo(
  assent: AssentForServers,
  ask: Pick<Ask, 'question' | 'purpose' | 'metadata'>,
  server: string,
  { requester, holdMs, signal }: Asking,
) {
  // About this very request: another one that asks in the same words gets an answer of its own.
  const { elicitation } = await assent.ask({ ...ask, origin: { server }, requester, about: randomUUID() })
  const { id } = elicitation
  const seen = await assent.wait(id, { timeoutMs: holdMs, ...(signal && { signal }) })
  // Taken back by compare-and-set: an answer that comes at the same moment counts.
  if (seen.state.kind === 'open') await assent.withdraw(id, requester, 'nobody answered in time')
  return assent.getResult(requester.participant, id)
}
