import type { KeptEnvelope } from '../store.ts'
import { hubName, readEnvelope, readRpc } from '../wire/envelope.ts'
import { requestFrom, standOf } from './open-requests.ts'
import { giveUp, type Router } from './receive.ts'

/** Learns what another instance took in: requests, their answers, and what agents tell of themselves. */
export function learnFrom({ desk, tools }: Pick<Router, 'desk' | 'tools'>, kept: KeptEnvelope): void {
  const { requests } = desk
  if (kept.open !== undefined) {
    const known = requests.byEnvelope(kept.from, kept.id)
    if (known === undefined) requests.add(requestFrom(kept))
    // It was released. What is known of it otherwise is newer than what was read.
    else if (known.isHeld && kept.state === 'sent') Object.assign(known, standOf(kept))
    return
  }
  const envelope = readEnvelope(kept.text)
  if ('problem' in envelope || envelope.kind !== 'mcp') return
  const rpc = readRpc(envelope.payload)
  const [to = ''] = envelope.to
  if (rpc?.kind === 'response') {
    const { from, correlationId } = envelope
    const asked = correlationId === undefined ? requests.find(to, from, rpc.id) : requests.byEnvelope(to, correlationId)
    if (asked === undefined || (asked.details.to !== from && from !== hubName)) return
    requests.remove(asked)
    asked.givenUp.abort()
  }
  if (rpc?.kind !== 'notification') return
  if (rpc.method === 'notifications/cancelled') giveUp(desk, envelope.from, envelope)
  if (rpc.method === 'notifications/tools/list_changed') tools.forget(envelope.from)
}
