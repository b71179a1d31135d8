import { readFile } from 'node:fs/promises'
import { createAssent, type Elicitation } from '../src/index.ts'
import { localParticipant } from '../src/participant/participant.ts'
import { keepAliveAgent, type Reply, replyIn } from './client/send.ts'
import type { KillReport } from './kills.ts'
import { continueCall, type OpenCall } from './traffic.ts'

export interface Findings {
  readonly inClient: number
  readonly inInbox: number
  readonly byForm: number
  /** Calls whose yes may have been spent by a try that was cut off: the client was told, and they did not run again. */
  readonly spentBefore: number
  /** Forms of 2025 upstreams whose parked call was lost: the client was told. */
  readonly parkedGone: number
  /** Questions of 2025 clients whose connection was lost: still open in the inbox. */
  readonly stillOpen: number
}

/** Answers every question that is open after the kills, and checks that its call then runs. */
export async function answerAll(store: string, { open, unanswered }: KillReport): Promise<Findings> {
  const assent = await createAssent({ store, clocks: { tidy: 0 } })
  const agent = keepAliveAgent()
  const findings = { inClient: 0, inInbox: 0, byForm: 0, spentBefore: 0, parkedGone: 0, stillOpen: 0 }
  const kept = await assent.listOpen({ participant: localParticipant, groups: [] }, 10_000)
  const questionAbout = (id: string) => kept.find(({ subject }) => JSON.stringify(subject ?? {}).includes(`"${id}"`))

  async function answerApproval(call: OpenCall, inInbox: boolean): Promise<void> {
    const question = questionAbout(call.id)
    if (question === undefined && !call.mayBeAnswered) throw new Error(`The question about ${call.id} was lost`)
    if (question !== undefined && inInbox) await approve(question)
    const isElsewhere = question !== undefined && inInbox
    const reply = replyIn(await continueCall(agent, call, !isElsewhere))
    if (hasRun(call, reply)) findings[isElsewhere ? 'inInbox' : 'inClient'] += 1
    else if (call.mayBeAnswered && reply?.result?.isError === true) findings.spentBefore += 1
    else throw new Error(`${call.id} was answered and did not run: ${JSON.stringify(reply)}`)
  }

  async function approve({ id }: Elicitation): Promise<void> {
    const here = { participant: localParticipant, groups: [], via: 'page' as const }
    await assent.answer(id, here, { action: 'accept', content: { choice: 'allow_once' } })
  }

  async function fillIn(call: OpenCall): Promise<void> {
    const reply = replyIn(await continueCall(agent, call, true))
    const reason = reply?.result?._meta?.['assent/outcome']?.reason
    if (hasRun(call, reply)) findings.byForm += 1
    // Parked calls are the only state that lives in memory.
    else if (call.at.pathname.endsWith('/good') && reason === 'parked-call-gone') findings.parkedGone += 1
    else throw new Error(`The form of ${call.id} was filled in and it did not run: ${JSON.stringify(reply)}`)
  }

  try {
    for (const [index, call] of [...open.values()].entries()) {
      await (call.params.name === 'form' ? fillIn(call) : answerApproval(call, index % 2 === 1))
    }
    for (const id of unanswered) {
      if (questionAbout(id) === undefined) throw new Error(`The question about ${id} was lost`)
      findings.stillOpen += 1
    }
    return findings
  } finally {
    agent.destroy()
    await assent.close()
  }
}

const hasRun = ({ id }: OpenCall, reply: Reply | undefined) => reply?.result?.content?.[0]?.text === `ran ${id}`

/** Checks that no call ran twice, and that every call reported as run did run. Returns how many ran. */
export async function checkRuns(record: string, ran: ReadonlySet<string>): Promise<number> {
  const runs = new Map<string, number>()
  for (const line of (await readFile(record, 'utf8')).split('\n')) {
    const id = /^run (call-\d+)$/.exec(line)?.[1]
    if (id !== undefined) runs.set(id, (runs.get(id) ?? 0) + 1)
  }
  for (const [id, times] of runs) if (times > 1) throw new Error(`${id} ran ${times} times`)
  for (const id of ran) if (!runs.has(id)) throw new Error(`${id} was reported as run, but did not run`)
  return runs.size
}
