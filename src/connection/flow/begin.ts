import { randomBytes } from 'node:crypto'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import type { Beginning, Begun } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { consentOf, findProvider } from '../find-provider.ts'
import type { ConsentSecrets } from '../provider.ts'
import { scopesToAsk } from '../scopes.ts'
import { connectQuestion } from './connect-question.ts'
import { type Flow, flowIdentity } from './flow.ts'
import { reasonCode } from './reason-code.ts'

/** Sends a person to a provider. The way back is kept before anybody is told the way there. */
export async function begin(desk: ConnectionDesk, beginning: Beginning): Promise<Begun> {
  const { person, elicitation: id } = beginning
  const provider = findProvider(desk, beginning.provider)
  const consent = consentOf(provider)
  const asked = id && (await connectQuestion(desk, { id, provider: provider.name, person }))
  const over = asked && overNow(asked, desk.clock.now())
  if (over !== undefined) return { kind: 'late', elicitation: over }

  const held = await desk.store.get(person.participant, provider.name)
  const scopes = scopesToAsk(provider, asked, held)
  const secrets: ConsentSecrets = { verifier: unguessable(), nonce: unguessable() }
  const flow = await newFlow(desk, beginning, scopes, secrets)
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

/** Whoever is still at the button may settle a little late; nobody sets out after the time is over. */
function overNow(asked: Elicitation, now: Date): Elicitation | undefined {
  if (isSettled(asked)) return asked
  return now >= asked.expiresAt ? { ...asked, state: { kind: 'expired', at: asked.expiresAt } } : undefined
}

async function newFlow(
  { vault, clock, redirectUri, browserFlowMs }: ConnectionDesk,
  { person, provider, browser, elicitation }: Beginning,
  scopes: readonly string[],
  secrets: ConsentSecrets,
): Promise<Flow> {
  const id = unguessable()
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

function unguessable(): string {
  return randomBytes(32).toString('base64url')
}
