import { setTimeout as sleep } from 'node:timers/promises'
import type { Assent } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'

/** Somebody who answers in the inbox what they are told about, as soon as they see it. */
export interface Inbox {
  /** Resolves when the question about this call was answered. Rejects if it never comes into the inbox. */
  answer(id: string, yes: boolean): Promise<void>
  close(): Promise<void>
}

interface Wanted {
  readonly yes: boolean
  readonly since: number
  resolve(): void
  reject(error: Error): void
}

const lookEveryMs = 200
/** A question that cannot be seen for so long is lost, in milliseconds. Much longer than a store is down. */
const patienceMs = 60_000

export function openInbox(assent: Assent): Inbox {
  const wanted = new Map<string, Wanted[]>()
  const viewer = { participant: localParticipant, groups: [], via: 'page' as const }
  let isClosed = false

  async function look(): Promise<void> {
    const open = await assent.listOpen({ participant: localParticipant, groups: [] }, 10_000)
    for (const { id, subject } of open) {
      const call = /"(call-\d+)"/.exec(JSON.stringify(subject ?? {}))?.[1] ?? ''
      const all = wanted.get(call)
      if (all === undefined) continue
      const answer = all[0]?.yes
        ? ({ action: 'accept', content: { choice: 'allow_once' } } as const)
        : ({ action: 'decline' } as const)
      await assent.answer(id, viewer, answer)
      wanted.delete(call)
      for (const { resolve } of all) resolve()
    }
    const before = Date.now() - patienceMs
    for (const [call, all] of wanted) {
      if (all.every(({ since }) => since > before)) continue
      wanted.delete(call)
      for (const { reject } of all) reject(new Error(`The question about ${call} was lost: nobody sees it.`))
    }
  }

  const looking = (async () => {
    while (!isClosed) {
      // The store may be down. Whoever sits at an inbox tries again.
      await look().catch(() => {})
      await sleep(lookEveryMs)
    }
  })()

  return {
    answer: (id, yes) =>
      new Promise((resolve, reject) => {
        wanted.set(id, [...(wanted.get(id) ?? []), { yes, since: Date.now(), resolve, reject }])
      }),
    async close() {
      isClosed = true
      await looking
    },
  }
}
