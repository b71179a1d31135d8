import { approvalIn } from '../../approval/question/subject.ts'
import { clientText } from '../../base/text/names.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import type { Person } from '../../participant/identify.ts'
import { namedClient } from '../../participant/requester.ts'
import type { AskedFacts, SettledPageProps } from '../pages/props.ts'
import { personName } from '../viewer/person-name.ts'
import { approvalEnd, serverWords } from './approval.ts'

/** What every page says about a question, to this person. `action` is where its forms are posted to. */
export function questionFacts(elicitation: Elicitation, viewer: Person, action: string): AskedFacts {
  const { origin, requester, question, createdAt, expiresAt } = elicitation
  const client = namedClient(requester)
  return {
    server: origin.server,
    client: clientText(client, 'label'),
    asker: clientText(client, client.known === 'verified' ? 'label' : 'asker'),
    ...(requester.participant !== viewer.participant && { requester: personName(requester.participant) }),
    message: question.message,
    action,
    createdAt,
    expiresAt,
  }
}

/** What the page of a settled question shows; undefined while it is open. `late`: it was settled before this answer. */
export function settledProps(elicitation: Elicitation, viewer: Person, came?: 'late'): SettledPageProps | undefined {
  const { origin, requester, question, purpose, state } = elicitation
  const status = statusOf(elicitation)
  if (status === 'pending') return undefined
  const about = approvalIn(elicitation)
  const message = about === undefined ? question.message : serverWords(elicitation, about)
  const approval = approvalEnd(elicitation, viewer)
  const byOther = state.kind === 'answered' && state.by.participant !== viewer.participant
  return {
    asked: { server: origin.server, client: clientText(namedClient(requester), 'label'), message },
    status,
    purpose,
    before: came === 'late' || byOther,
    ...('reason' in state && { reason: state.reason }),
    ...(approval && { approval }),
  }
}

/** Texts for the page that came with the question as metadata. */
export function labelsFrom<Name extends string>(
  { metadata }: Pick<Elicitation, 'metadata'>,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  const found = names.flatMap((name) => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined
    return typeof value === 'string' && value.trim() !== '' ? [[name, value] as const] : []
  })
  return Object.fromEntries(found) as { readonly [Key in Name]?: string }
}
