import { randomBytes } from 'node:crypto'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import type { ConnectBegun, ConnectRequest } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { consentOf, findProvider } from '../find-provider.ts'
import type { ConsentSecrets } from '../provider.ts'
import { scopesToAsk } from '../scopes.ts'
import { connectQuestion } from './connect-question.ts'
import { type Flow, flowIdentity } from './flow.ts'
import { reasonCode } from './reason-code.ts'

/** Prepares to send a person to a provider. The flow is stored before the address is returned. */
export async function beginConnect(desk: ConnectionDesk, request: ConnectRequest): Promise<ConnectBegun> {
  const { person, elicitation: id } = request
  const provider = findProvider(desk, request.provider)
  const consent = consentOf(provider)
  const asked = id && (await connectQuestion(desk, { id, provider: provider.name, person }))
  const ended = asked && endedAt(asked, desk.clock.now())
  if (ended !== undefined) return { kind: 'late', elicitation: ended }

  const held = await desk.store.get(person.participant, provider.name)
  const scopes = scopesToAsk(provider, asked, held)
  const secrets: ConsentSecrets = { verifier: randomToken(), nonce: randomToken() }
  const flow = await newFlow(desk, request, scopes, secrets)
  const begun = await consent.begin({ ...secrets, state: flow.id, redirectUri: flow.redirectUri, scopes })

  const event = { who: person.participant, ...(id && { about: id }) }
  const data = { provider: provider.name, scopes: [...scopes] }
  if (begun.kind === 'failed') {
    const reason = reasonCode(begun.reason)
    await desk.audit.record({ ...event, kind: 'connect-failed', data: { ...data, reason } })
    if (id !== undefined) await desk.questions.fail(id, begun.message)
    return { kind: 'failed', message: begun.message }
  }
  await desk.audit.record({ ...event, kind: 'connect-begun', data })
  await desk.store.addFlow(flow)
  return { kind: 'begun', url: begun.url }
}

/** An answer may come a little after the time limit, but no flow begins after it. */
function endedAt(asked: Elicitation, now: Date): Elicitation | undefined {
  if (isSettled(asked)) return asked
  return now >= asked.expiresAt ? { ...asked, state: { kind: 'expired', at: asked.expiresAt } } : undefined
}

async function newFlow(
  { vault, clock, redirectUri, browserFlowMs }: ConnectionDesk,
  { person, provider, browser, elicitation }: ConnectRequest,
  scopes: readonly string[],
  secrets: ConsentSecrets,
): Promise<Flow> {
  const id = randomToken()
  const createdAt = clock.now()
  return {
    id,
    participant: person.participant,
    provider,
    browser,
    ...(elicitation !== undefined && { elicitation }),
    scopes,
    redirectUri,
    sealed: await vault.seal(JSON.stringify(secrets), flowIdentity({ id })),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + browserFlowMs),
  }
}

function randomToken(): string {
  return randomBytes(32).toString('base64url')
}
