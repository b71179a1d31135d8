import { expect } from 'vitest'
import { createToolGate, type ToolGate, type ToolGateOptions } from '../../../src/adapters/index.ts'
import {
  type Answer,
  type Assent,
  type AssentOptions,
  type Content,
  type Elicitation,
  localParticipant,
} from '../../../src/index.ts'
import { onPage } from '../asks.ts'
import { anAssent } from '../assents.ts'

/** The local person, who answers on pages. */
export interface InboxPerson {
  /** The next question that they have not answered. */
  sees(): Promise<Elicitation>
  /** Answers the next question. */
  says(given: Answer | Content): Promise<Elicitation>
  /** How many questions wait. */
  open(): Promise<number>
}

export interface GatePlace {
  readonly assent: Assent
  readonly gate: ToolGate
  readonly person: InboxPerson
}

/** The gate of an agent whose every call is asked about, unless its policy says otherwise. */
export async function aGate(
  policy: AssentOptions['policy'] = {},
  options: Partial<ToolGateOptions> = {},
): Promise<GatePlace> {
  const assent = await anAssent({ policy })
  return { assent, gate: createToolGate(assent, { server: 'agent', ...options }), person: personOf(assent) }
}

/** The person of an Assent without a login. */
export function personOf(assent: Assent): InboxPerson {
  const local = { participant: localParticipant, groups: [] }
  const list = () => assent.listOpen(local, 100)
  const person: InboxPerson = {
    async sees() {
      await expect.poll(async () => (await list()).length).toBeGreaterThan(0)
      return (await list())[0] as Elicitation
    },
    async says(given) {
      const asked = await person.sees()
      const answer = 'action' in given ? (given as Answer) : ({ action: 'accept', content: given as Content } as const)
      expect(await assent.answer(asked.id, onPage(localParticipant), answer)).toMatchObject({ kind: 'kept' })
      return asked
    },
    open: async () => (await list()).length,
  }
  return person
}

/** A tool, and every way it was run. */
export function aDeed(): { readonly ran: unknown[]; run(given: unknown): string } {
  const ran: unknown[] = []
  return {
    ran,
    run(given) {
      ran.push(given)
      return `done ${JSON.stringify(given)}`
    },
  }
}

/** What a tool that deploys says of itself. */
export const deployTool = {
  name: 'deploy',
  description: 'Deploys a change',
  inputSchema: { type: 'object', properties: { env: { type: 'string', minLength: 2 } }, required: ['env'] },
}
