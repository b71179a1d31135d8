import type { Desk } from './desk.ts'
import { settlingGraceMs } from './elicitation.ts'
import { saveEvent } from './settle.ts'

const page = 500

/** Settles every open question whose time is over. It deletes nothing: what was answered stays answered. Returns how many. */
export async function expire(desk: Desk): Promise<number> {
  const at = desk.clock.now()
  const moment = new Date(at.getTime() - settlingGraceMs)
  let expired = 0
  for (;;) {
    const due = await desk.store.listDue(moment, page)
    for (const elicitation of due) await saveEvent(desk, elicitation, { kind: 'looked-at', at })
    expired += due.length
    if (due.length < page) return expired
  }
}

/** Asks others too where it is time. Whoever looks at a question does so as well; here nobody has to. Returns how many. */
export async function escalateDue(desk: Desk): Promise<number> {
  const at = desk.clock.now()
  let escalated = 0
  for (;;) {
    const due = await desk.store.listEscalating(at, page)
    for (const elicitation of due) await saveEvent(desk, elicitation, { kind: 'looked-at', at })
    escalated += due.length
    if (due.length < page) return escalated
  }
}

/** Deletes questions settled before `moment`, except the answers that `find` would still give. Returns how many. */
export async function deleteSettled(desk: Desk, moment: Date): Promise<number> {
  let deleted = 0
  for (;;) {
    const some = await desk.store.deleteSettled(moment, page)
    deleted += some
    if (some < page) return deleted
  }
}
