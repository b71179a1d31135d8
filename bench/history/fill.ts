import type { Grant, GrantId } from '../../src/approval/grant/grant.ts'
import { chainEvent } from '../../src/audit/chain/mac.ts'
import type { AuditEvent, ChainId, Head, Pseudonym } from '../../src/audit/event.ts'
import { auditKey } from '../../src/audit/key.ts'
import { type Assent, createAssent } from '../../src/index.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import type { Requester } from '../../src/participant/requester.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { anElicitation, answered, limitedTo } from '../../src/testing/elicitations.ts'
import { formatKey, makeKey } from '../../src/vault/keys.ts'

const day = 24 * 3_600_000
export const chains = 21
const keys = formatKey(makeKey())
/** Who is asked, and whose pages are opened. Nobody has more questions open than the limits allow. */
export const person = 'local' as ParticipantId
const people = 1_000

/** How much is filled in. */
export interface Amounts {
  readonly events: number
  readonly questions: number
  readonly grants: number
}

/** Upkeep runs only when it is called, and retains 30 days. */
export function openAssent(path: string, survives: 'process' | 'power' = 'process'): Promise<Assent> {
  return openSqliteStore(path, { survives }).then((store) =>
    createAssent({
      store,
      keys,
      policy: { default: 'allow' },
      clocks: { tidy: 0 },
      retain: { audit: '30d', settled: '30d' },
    }),
  )
}

/** Half of everything is older than 30 days. */
export async function fill(path: string, { events, questions, grants }: Amounts): Promise<void> {
  // Without a journal, so that each batch is one transaction.
  const assent = await openAssent(path, 'power')
  await fillAudit(assent, events)
  await fillQuestions(assent.store, questions)
  await fillGrants(assent.store, grants)
  await assent.close()
}

async function fillAudit({ store, vault }: Assent, events: number): Promise<void> {
  const key = await auditKey({ store: store.audit, vault })
  const who = await store.audit.pseudonymFor(person, 'pseudonym-of-the-bench' as Pseudonym)
  const now = Date.now()
  const each = Math.ceil(events / chains)
  for (let chain = 0; chain < chains; chain++) {
    let head: Head = { chain: `chain-${String(chain).padStart(2, '0')}-${now}` as ChainId, seq: 0, mac: '' }
    const start = now - 60 * day * (1 - chain / chains)
    while (head.seq < each) {
      const batch: AuditEvent[] = []
      while (batch.length < 5_000 && head.seq < each) {
        const at = new Date(start + (60 * day * head.seq) / each / chains)
        const event = chainEvent(key, head, { at, who, ...(head.seq % 2 === 0 ? started(head.seq) : ended(head.seq)) })
        batch.push(event)
        head = event
      }
      await store.audit.append(batch)
    }
  }
}

/** The two events of an allowed call, as large as they are. */
const started = (n: number) => ({
  kind: 'call-started',
  about: `walk-${n}-of-the-history`,
  data: {
    server: 'files',
    tool: 'read_text_file',
    client: 'claude-code',
    arguments: 'fZ3iXcGq1Yb2lG0yCq9vF5l2rWkDdO4hUeYp7sJtQxA',
    definition: 'o0aP4n9mT2kLr8ZyVxWc6bEd1uHg5fSj3iQwXeRtYuI',
    decide: 'allow',
    why: 'rule 3',
  },
})

const ended = (n: number) => ({
  kind: 'call-ended',
  about: `walk-${n - 1}-of-the-history`,
  data: { outcome: 'result', ms: 12 },
})

/** Half are open, of which a fifth is over; the others are answered, half of them long ago. */
async function fillQuestions({ elicitations }: Store, questions: number): Promise<void> {
  const now = Date.now()
  const limits = limitedTo(questions + 1)
  await inBatches(questions, async (n) => {
    const question = anElicitation({
      id: `question-${n}` as never,
      identity: String(n),
      requester: requesterOf(n),
      createdAt: new Date(now - 60_000),
      expiresAt: new Date(n % 10 === 0 ? now - day : now + day),
    })
    await elicitations.add(question, limits)
    const at = new Date(now - (n % 4 === 1 ? 40 : 1) * day)
    if (n % 2 === 1) await elicitations.saveIfUnchanged(answered(question, undefined, at))
  })
}

/** The person has 500 open questions at most, from five clients. */
function requesterOf(n: number): Requester {
  const participant = n < 1_000 ? person : (`person-${n % people}` as ParticipantId)
  return { participant, client: `client-${Math.floor(n / 2) % 5}` }
}

async function fillGrants({ grants }: Store, count: number): Promise<void> {
  await inBatches(count, (n) => grants.add(grantOf(n)))
}

function grantOf(n: number): Grant {
  const participant = n % 10 === 0 ? person : (`person-${n % people}` as ParticipantId)
  return {
    id: `grant-${n}` as GrantId,
    version: 1,
    effect: 'allow',
    participant,
    client: 'claude-code',
    server: 'other',
    tool: `tool-${n}`,
    definition: 'definition',
    uses: { kind: 'many' },
    grantedBy: participant,
    createdAt: new Date(),
    ...(n % 2 === 1 && { expiresAt: new Date(Date.now() - 40 * day) }),
  }
}

/** Writes that are made together share a transaction. */
async function inBatches(count: number, write: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    await Promise.all(Array.from({ length: Math.min(1_000, count - from) }, (_, index) => write(from + index)))
  }
}
