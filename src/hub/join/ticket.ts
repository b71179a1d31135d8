import { randomUUID } from 'node:crypto'
import { rememberUntil } from '../../call/step.ts'
import type { AssentForHub } from '../needs.ts'

/** What a ticket lets its holder do, once. */
export interface Ticket {
  readonly space: string
  readonly participant: string
}

const identity = 'hub/ticket'

/** Makes a ticket that lets whoever holds it join once, as this participant, for a short time. */
export async function makeTicket(
  { vault, clock }: Pick<AssentForHub, 'vault' | 'clock'>,
  { space, participant }: Ticket,
  lastsMs: number,
): Promise<string> {
  const until = clock.now().getTime() + lastsMs
  const { key, box } = await vault.seal(JSON.stringify({ space, participant, until, id: randomUUID() }), identity)
  return `${key}~${box}`
}

/** Opens a ticket and uses it up. Undefined: it is forged, over, or was used before. */
export async function takeTicket(
  { vault, clock, store }: Pick<AssentForHub, 'vault' | 'clock' | 'store'>,
  text: string,
): Promise<Ticket | undefined> {
  const [key = '', box = ''] = text.split('~', 2)
  let opened: { space: string; participant: string; until: number; id: string }
  try {
    opened = JSON.parse(await vault.open({ key, box }, identity))
  } catch {
    return undefined
  }
  const { space, participant, until, id } = opened
  if (clock.now().getTime() >= until) return undefined
  const claimed = await store.steps.claim({ walkId: `hub-ticket-${id}`, name: 'join' }, rememberUntil(new Date(until)))
  return claimed.kind === 'claimed' ? { space, participant } : undefined
}
