import type { AuditEntry } from '../../audit/entry.ts'
import type { AuditKind } from '../../audit/kinds.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { ElicitationNotFound } from '../../elicitation/errors.ts'
import type { Completed, Returning } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { ProviderUnknown } from '../errors.ts'
import type { Consent, ConsentRequest, ConsentSecrets, Provider } from '../provider.ts'
import { connectQuestion } from './connect-question.ts'
import { type Flow, flowIdentity } from './flow.ts'
import { keepConnection } from './keep-connection.ts'
import { reasonCode } from './reason-code.ts'
import { settleQuestion } from './settle-question.ts'
import { takeFlow } from './take-flow.ts'

/** Someone is back from a provider. What they bring counts only for the flow that they began, in the browser they began it in. */
export async function complete(desk: ConnectionDesk, returning: Returning): Promise<Completed> {
  const taken = await takeFlow(desk, returning)
  if (taken.kind === 'refused') return taken
  const { flow } = taken
  const { person } = returning
  const { provider, consent } = await stillThere(desk, flow)
  const asked = await questionOf(desk, flow, person)
  if (asked && isSettled(asked)) {
    await desk.audit.record(entry(flow, 'connect-refused', 'late'))
    return { kind: 'late', elicitation: asked }
  }

  const consented = await consent.complete(await requestOf(desk, flow), returning.callback)
  if (consented.kind === 'granted') {
    const { credential, ...arrived } = consented.tokens
    return keepConnection(desk, { ...arrived, provider, person, asked, credential, by: 'consent' })
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

/** The provider may have been taken out of the config while the person was there. The question must not hang for that. */
async function stillThere(desk: ConnectionDesk, flow: Flow): Promise<{ provider: Provider; consent: Consent }> {
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
  person: Returning['person'],
): Promise<Elicitation | undefined> {
  if (flow.elicitation === undefined) return undefined
  try {
    return await connectQuestion(desk, { id: flow.elicitation, provider: flow.provider, person })
  } catch (error) {
    // It was there when they set out. Somebody who is not asked any more is recorded where that is found out.
    if (error instanceof ElicitationNotFound) await desk.audit.record(entry(flow, 'connect-refused', error.code))
    throw error
  }
}

async function requestOf({ vault }: ConnectionDesk, flow: Flow): Promise<ConsentRequest> {
  const { id: state, redirectUri, scopes, sealed } = flow
  const { verifier, nonce }: ConsentSecrets = JSON.parse(await vault.open(sealed, flowIdentity(flow)))
  return { state, redirectUri, scopes, verifier, nonce }
}

function entry({ participant, provider, scopes, elicitation }: Flow, kind: AuditKind, reason: string): AuditEntry {
  const data = { provider, scopes: [...scopes], reason }
  return { kind, who: participant, ...(elicitation && { about: elicitation }), data }
}
