import { readFile } from 'node:fs/promises'
import { createAssent } from '../src/index.ts'
import { localParticipant } from '../src/participant/participant.ts'
import type { SoakGateway } from './gateway.ts'
import { goOn, type KillReport, type OpenCall } from './kills.ts'
import { keptConnections, replyIn } from './send.ts'

export interface Findings {
  readonly answeredInClient: number
  readonly answeredInInbox: number
  /** Whose yes may have been spent by a try that was cut off: told so, and not run again. */
  readonly spentBefore: number
}

/** After all the kills: every question that was open can be answered, and lets its call run. */
export async function answerAll(gateway: SoakGateway, store: string, { open }: KillReport): Promise<Findings> {
  const assent = await createAssent({ store, clocks: { tidy: 0 } })
  const agent = keptConnections()
  const at = new URL('/mcp/good', gateway.url)
  const findings = { answeredInClient: 0, answeredInInbox: 0, spentBefore: 0 }
  try {
    const kept = await assent.listOpen({ participant: localParticipant, groups: [] }, 10_000)
    const questionOf = ({ id }: OpenCall) =>
      kept.find(({ subject }) => JSON.stringify(subject ?? {}).includes(`"${id}"`))
    for (const [index, call] of [...open.values()].entries()) {
      const question = questionOf(call)
      if (question === undefined && !call.isTried) throw new Error(`The question about ${call.id} was lost`)
      const inInbox = question !== undefined && index % 2 === 1
      if (inInbox) {
        const here = { participant: localParticipant, groups: [], via: 'page' as const }
        await assent.answer(question.id, here, { action: 'accept', content: { choice: 'allow_once' } })
      }
      const reply = replyIn(await goOn(agent, at, call, !inInbox))
      const hasRun = reply?.result?.content?.[0]?.text === `ran ${call.id}`
      if (hasRun) findings[inInbox ? 'answeredInInbox' : 'answeredInClient'] += 1
      else if (call.isTried) findings.spentBefore += 1
      else throw new Error(`${call.id} was answered and did not run: ${JSON.stringify(reply)}`)
    }
    return findings
  } finally {
    agent.destroy()
    await assent.close()
  }
}

/** No call ran twice, and what a client was told to have run did run. Returns how many ran. */
export async function checkRuns(record: string, ran: ReadonlySet<string>): Promise<number> {
  const runs = new Map<string, number>()
  for (const line of (await readFile(record, 'utf8')).split('\n')) {
    const id = /^run (call-\d+)$/.exec(line)?.[1]
    if (id !== undefined) runs.set(id, (runs.get(id) ?? 0) + 1)
  }
  for (const [id, times] of runs) if (times > 1) throw new Error(`${id} ran ${times} times`)
  for (const id of ran) if (!runs.has(id)) throw new Error(`${id} is said to have run, and did not`)
  return runs.size
}
