import type { Answered } from '../../../src/elicitation/answering/answered.ts'
import type { Answering } from '../../../src/elicitation/answering/answerers.ts'
import type { Elicitation, ElicitationId } from '../../../src/elicitation/elicitation.ts'
import type { Content } from '../../../src/elicitation/form/schema.ts'
import type { Assent, ParticipantId } from '../../../src/index.ts'
import { getExisting } from '../assents.ts'
import { aCall } from './a-call.ts'

/** A person by a short name. */
export const person = (name: string) => `${name}@https://login.example.com` as ParticipantId

/** A policy of one rule that asks about everything. */
export const asking = (settings: object) => ({ rules: [{ decide: 'ask', fallback: 'inbox', ...settings }] }) as never

/** A transfer that carol's agent asks for. */
export const transfer = (amount: number, agents: readonly string[] = []) =>
  aCall({
    requester: { participant: person('carol'), client: 'claude-code', ...(agents.length > 0 && { agents }) },
    server: 'bank',
    tool: 'transfer',
    arguments: { amount, to: 'Acme' },
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'number' }, to: { type: 'string' } },
      required: ['amount', 'to'],
    },
  })

/** What somebody says on the page, to what it shows them. */
export async function vote(
  assent: Assent,
  { id }: { readonly id: ElicitationId },
  who: string,
  given: Content | 'deny' = {},
  groups: readonly string[] = ['finance'],
): Promise<Answered> {
  const now = await getExisting(assent, id)
  const seen = now.voting?.edit?.digest
  const answering: Answering = { participant: person(who), groups, via: 'page', ...(seen !== undefined && { seen }) }
  if (given === 'deny') return assent.answer(id, answering, { action: 'decline' })
  const content = { choice: 'allow_once', ...editsNow(now), ...given }
  return assent.answer(id, answering, { action: 'accept', content })
}

/** The fields that the page fills in, as they stand now. */
function editsNow({ question, voting }: Elicitation): Content {
  const fields = Object.entries(question.schema?.properties ?? {}).filter(([name]) => name.startsWith('edit_'))
  const defaults = fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]]))
  return { ...Object.fromEntries(defaults), ...voting?.edit?.content }
}

/** Hands the question on. */
export const handOn = (
  assent: Assent,
  { id }: { readonly id: ElicitationId },
  who: string,
  to: string,
  groups: readonly string[] = ['finance'],
): Promise<Answered> =>
  assent.answer(
    id,
    { participant: person(who), groups, via: 'page' },
    { action: 'accept', content: { choice: 'delegate', delegateTo: to } },
  )
