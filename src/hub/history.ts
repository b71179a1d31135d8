import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '../base/json.ts'
import { whoIs } from './join/identify.ts'
import type { AssentForHub } from './needs.ts'
import type { HubLimits } from './options.ts'
import { observe } from './routing/capabilities.ts'
import { describeMember } from './space/presence.ts'
import type { Space } from './space/space.ts'

interface HistoryParts {
  readonly assent: AssentForHub
  readonly space: Space
  readonly limits: HubLimits
  readonly what: 'history' | 'participants'
}

interface Reply {
  readonly status: number
  /** JSON. */
  readonly body: string
}

const defaultPage = 100

/** What was said in a space, newest first, as far as the one who asks could hear it; or who is there. */
export async function historyReply(parts: HistoryParts, request: IncomingMessage, url: URL): Promise<Reply> {
  const { assent, space, limits, what } = parts
  if (request.method !== 'GET') return reply(405, { error: 'Use GET.' })
  try {
    const who = await whoIs(assent, space, request, null)
    if (who.kind === 'stranger') return reply(401, { error: who.words })
    if (what === 'participants') return reply(200, participantsIn(space))
    const limit = Math.min(countIn(url, 'limit') ?? defaultPage, limits.historyPage)
    const before = countIn(url, 'before')
    const { member } = who
    const seesAll = member.may.includes(observe)
    const kept = await assent.store.hub.history(space.name, limit, before, seesAll ? undefined : member.id)
    // As they were written: to parse them would change numbers that a double cannot hold.
    const envelopes = `[${kept.map(({ text }) => text).join()}]`
    const last = kept.at(-1)
    const next = last !== undefined && kept.length === limit ? `,"before":${last.seq}` : ''
    // The draft of the protocol calls it `history`, and the client of its reference reads `messages`.
    return { status: 200, body: `{"history":${envelopes},"messages":${envelopes}${next}}` }
  } catch {
    return reply(503, { error: 'This cannot be read right now. Try again later.' })
  }
}

function reply(status: number, body: JsonObject): Reply {
  return { status, body: JSON.stringify(body) }
}

function participantsIn({ members, here, waiting, name }: Space): JsonObject {
  const present = new Set(here())
  const participants = [...members.values()].map((member) => ({
    ...describeMember(member),
    here: present.has(member.id),
  }))
  return { space: name, participants, ...waiting() }
}

function countIn({ searchParams }: URL, name: string): number | undefined {
  const text = searchParams.get(name)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
