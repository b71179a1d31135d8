import type { Effect } from '../../approval/policy/policy.ts'
import type { RecordedCall } from '../../approval/replay/recorded-calls.ts'

/** What happened to the calls of one tool. */
export interface ToolTally {
  readonly server: string
  readonly tool: string
  calls: number
  readonly decided: Record<Effect, number>
  /** Calls that ran although the policy, which only watched, would have asked about them or denied them. */
  readonly watched: Record<'ask' | 'deny', number>
  ran: number
  /** Calls that ran because a person said yes, to this one or for longer. */
  approved: number
  /** Calls that a person said no to. */
  declined: number
  /** Calls that no rule named, so that the default decided. */
  unnamed: number
}

/** What happened, by server and tool. */
export interface Tally {
  calls: number
  oldest: Date | undefined
  readonly clients: Set<string>
  readonly tools: Map<string, ToolTally>
}

/** What people say no with. */
const saidNo = new Set(['declined', 'deny', 'always_deny', 'always-denied'])

/** Counts recorded calls. */
export async function tallyCalls(calls: AsyncIterable<RecordedCall>): Promise<Tally> {
  const tally: Tally = { calls: 0, oldest: undefined, clients: new Set(), tools: new Map() }
  for await (const call of calls) {
    tally.calls += 1
    if (tally.oldest === undefined || call.at < tally.oldest) tally.oldest = call.at
    tally.clients.add(call.client)
    take(toolIn(tally, call), call)
  }
  return tally
}

function toolIn({ tools }: Tally, { server, tool }: RecordedCall): ToolTally {
  const key = JSON.stringify([server, tool])
  const known = tools.get(key)
  if (known !== undefined) return known
  const fresh: ToolTally = {
    server,
    tool,
    calls: 0,
    decided: { allow: 0, ask: 0, deny: 0 },
    watched: { ask: 0, deny: 0 },
    ran: 0,
    approved: 0,
    declined: 0,
    unnamed: 0,
  }
  tools.set(key, fresh)
  return fresh
}

function take(counts: ToolTally, { decided, watched, ran, rule, reason }: RecordedCall): void {
  counts.calls += 1
  counts.decided[decided] += 1
  if (rule === undefined) counts.unnamed += 1
  if (ran) counts.ran += 1
  if (ran && watched && decided !== 'allow') counts.watched[decided] += 1
  if (ran && !watched && decided === 'ask') counts.approved += 1
  if (reason !== undefined && saidNo.has(reason)) counts.declined += 1
}
