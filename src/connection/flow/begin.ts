import { randomBytes } from 'node:crypto'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import type { ConnectBegun, ConnectRequest } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { consentOf, findProvider } from '../find-provider.ts'
import type { ConsentBegun, ConsentSecrets } from '../provider.ts'
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
  const wanted = scopesToAsk(provider, asked, held)
  const secrets: ConsentSecrets = { verifier: randomToken(), nonce: randomToken() }
  const state = randomToken()
  const begun = await consent.begin({ ...secrets, state, redirectUri: desk.redirectUri, scopes: wanted })

  const event = { who: person.participant, ...(id && { about: id }) }
  const scopes = begun.kind === 'begun' ? (begun.scopes ?? wanted) : wanted
  const issuer = begun.kind === 'begun' ? begun.issuedBy?.issuer : undefined
  const data = { provider: provider.name, scopes: [...scopes], ...(issuer !== undefined && { issuer }) }
  if (begun.kind === 'failed') {
    const reason = reasonCode(begun.reason)
    await desk.audit.record({ ...event, kind: 'connect-failed', data: { ...data, reason } })
    if (id !== undefined) await desk.questions.fail(id, begun.message)
    return { kind: 'failed', message: begun.message }
  }
  await desk.audit.record({ ...event, kind: 'connect-begun', data })
  await desk.store.addFlow(await newFlow(desk, request, state, { ...begun, scopes }, secrets))
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
  id: string,
  begun: ConsentBegun & { readonly scopes: readonly string[] },
  secrets: ConsentSecrets,
): Promise<Flow> {
  const { issuedBy } = begun
  const createdAt = clock.now()
  return {
    id,
    participant: person.participant,
    provider,
    browser,
    ...(elicitation !== undefined && { elicitation }),
    scopes: begun.scopes,
    redirectUri: begun.redirectUri ?? redirectUri,
    sealed: await vault.seal(JSON.stringify({ ...secrets, ...(issuedBy && { issuedBy }) }), flowIdentity({ id })),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + browserFlowMs),
  }
}

function randomToken(): string {
  return randomBytes(32).toString('base64url')
}
