import { join } from 'node:path'
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { PolicySettings, RuleSettings } from '../../../src/approval/policy/policy-settings.ts'
import type { Answering, Assent, AssentOptions, Elicitation, ParticipantId } from '../../../src/index.ts'
import type { AssentServer } from '../../../src/server/index.ts'
import type { Asked, Reply } from '../asking/asking-clients.ts'
import { onPage } from '../asks.ts'
import { anAssent } from '../assents.ts'
import { temporaryFolder } from '../temporary.ts'
import { type AskingOptions, asking, say } from './servers.ts'

export interface Approving extends AskingOptions {
  readonly rules?: readonly RuleSettings[]
  /** More of the policy than its rules. */
  readonly policy?: PolicySettings
  readonly description?: string
  readonly more?: (server: McpServer, asking: AssentServer, deeds: string[]) => void
}

export const target = z.object({ env: z.string().min(2), note: z.string().optional() })

/** A server on SQLite whose tools are decided by policy, and what they did. */
export async function approving({ rules = [], policy, more, description, ...options }: Approving = {}) {
  const deeds: string[] = []
  const assent = options.assent ?? (await onSqlite({ ...options.assentOptions, policy: { rules, ...policy } }))
  const served = await asking(
    (server, asking) => {
      const { approvedTool } = asking
      server.registerTool(
        'deploy',
        { inputSchema: target, ...(description !== undefined && { description }) },
        approvedTool(async ({ env, note }: z.infer<typeof target>) => {
          deeds.push(note === undefined ? `deploy ${env}` : `deploy ${env}: ${note}`)
          return say(`deployed ${env}`)
        }),
      )
      server.registerTool(
        'charge',
        { inputSchema: z.object({ amount: z.number().int() }), outputSchema: z.object({ charged: z.number() }) },
        approvedTool(async ({ amount }: { amount: number }) => {
          deeds.push(`charge ${amount}`)
          return { ...say(`charged ${amount}`), structuredContent: { charged: amount } }
        }),
      )
      more?.(server, asking, deeds)
    },
    { clocks: { hold: 50 }, ...options, assent },
  )
  return { ...served, deeds }
}

/** An Assent on a SQLite file of its own. */
async function onSqlite(options: AssentOptions = {}): Promise<Assent> {
  return anAssent({ store: `sqlite:${join(await temporaryFolder(), 'assent.db')}`, ...options })
}

/** The form as it came, with these fields filled in besides. */
export function filled({ requestedSchema }: Asked, over: NonNullable<Reply['content']>): Reply {
  const given = Object.entries(requestedSchema?.properties ?? {}).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  )
  return { action: 'accept', content: { ...Object.fromEntries(given), ...over } as Reply['content'] & object }
}

export const allowOnce = (asked: Asked) => filled(asked, { choice: 'allow_once' })
export const deny = (asked: Asked) => filled(asked, { choice: 'deny' })

/** The choices that a form offers, whatever revision spells them. */
export function choicesIn({ requestedSchema }: Asked): string[] {
  const field = requestedSchema?.properties.choice as { enum?: string[]; oneOf?: { const: string }[] }
  return field.enum ?? field.oneOf?.map((option) => option.const) ?? []
}

/** Answers on the page of a question, as it came but for these fields. */
export function answerOnPage(
  assent: Pick<Assent, 'answer'>,
  { id, question }: Elicitation,
  by: ParticipantId | Answering,
  over: Record<string, unknown> = { choice: 'allow_once' },
) {
  const asked = { requestedSchema: question.schema } as never
  const { content } = filled(asked, over as never)
  return assent.answer(id, typeof by === 'string' ? onPage(by) : by, { action: 'accept', content: content as never })
}

/** The id in the address of an approval's page. */
export function idIn(url: string | undefined): Elicitation['id'] {
  const id = /\/elicit\/([\w-]+)\/approve$/.exec(url ?? '')?.[1]
  if (id === undefined) throw new Error(`no page of an approval: ${url}`)
  return id as Elicitation['id']
}
