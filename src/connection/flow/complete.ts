import type { AuditEntry } from '../../audit/entry.ts'
import type { AuditKind } from '../../audit/kinds.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { ElicitationNotFound } from '../../elicitation/errors.ts'
import type { Completed, ReturnFromProvider } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { ProviderUnknown } from '../errors.ts'
import type { Consent, ConsentRequest, ConsentSecrets, Provider } from '../provider.ts'
import { connectQuestion } from './connect-question.ts'
import { type Flow, flowIdentity } from './flow.ts'
import { keepConnection } from './keep-connection.ts'
import { reasonCode } from './reason-code.ts'
import { settleQuestion } from './settle-question.ts'
import { takeFlow } from './take-flow.ts'

/** Completes the flow of a person who returns from a provider, if this person began it in this browser. */
export async function complete(desk: ConnectionDesk, returning: ReturnFromProvider): Promise<Completed> {
  const taken = await takeFlow(desk, returning)
  if (taken.kind === 'refused') return taken
  const { flow } = taken
  const { person } = returning
  const { provider, consent } = await findFlowProvider(desk, flow)
  const asked = await questionOf(desk, flow, person)
  if (asked && isSettled(asked)) {
    await desk.audit.record(entry(flow, 'connect-refused', 'late'))
    return { kind: 'late', elicitation: asked }
  }

  const consented = await consent.complete(await requestOf(desk, flow), returning.callback)
  if (consented.kind === 'granted') {
    const { credential, ...tokens } = consented.tokens
    return keepConnection(desk, { ...tokens, provider, person, asked, credential, by: 'consent' })
  }
  if (consented.kind === 'denied') {
    await desk.audit.record(entry(flow, 'connect-denied', 'denied-at-provider'))
    const settled = asked && (await settleQuestion(desk, asked.id, person, { action: 'decline' }))
    if (settled?.kind === 'late') return { kind: 'late', elicitation: settled.elicitation }
    return { kind: 'denied', provider, ...(settled && { elicitation: settled.elicitation }) }
  }
  const { reason, message } = consented
  await desk.audit.record(entry(flow, 'connect-failed', reasonCode(reason)))
  const elicitation = asked && (await desk.questions.fail(asked.id, message))
  return { kind: 'failed', provider, message, ...(elicitation && { elicitation }) }
}

/**
 * The provider may have been removed from the configuration meanwhile. Then the question fails instead of staying open.
 */
async function findFlowProvider(desk: ConnectionDesk, flow: Flow): Promise<{ provider: Provider; consent: Consent }> {
  const provider = desk.providers.get(flow.provider)
  if (provider?.by.kind === 'consent') return { provider, consent: provider.by.consent }
  const unknown = new ProviderUnknown(flow.provider)
  await desk.audit.record(entry(flow, 'connect-failed', unknown.code))
  if (flow.elicitation !== undefined) await desk.questions.fail(flow.elicitation, unknown.message)
  throw unknown
}

async function questionOf(
  desk: ConnectionDesk,
  flow: Flow,
  person: ReturnFromProvider['person'],
): Promise<Elicitation | undefined> {
  if (flow.elicitation === undefined) return undefined
  try {
    return await connectQuestion(desk, { id: flow.elicitation, provider: flow.provider, person })
  } catch (error) {
    // The question was there when the flow began. Other refusals are recorded by `connectQuestion`.
    if (error instanceof ElicitationNotFound) await desk.audit.record(entry(flow, 'connect-refused', error.code))
    throw error
  }
}

async function requestOf({ vault }: ConnectionDesk, flow: Flow): Promise<ConsentRequest> {
  const { id: state, redirectUri, scopes, sealed } = flow
  const secrets: ConsentSecrets = JSON.parse(await vault.open(sealed, flowIdentity(flow)))
  return { ...secrets, state, redirectUri, scopes }
}

function entry({ participant, provider, scopes, elicitation }: Flow, kind: AuditKind, reason: string): AuditEntry {
  const data = { provider, scopes: [...scopes], reason }
  return { kind, who: participant, ...(elicitation && { about: elicitation }), data }
}
