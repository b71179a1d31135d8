import type { AuditEntry } from './audit/entry.ts'
import type { Head } from './audit/event.ts'
import { exportAudit } from './audit/export.ts'
import { forgetInAudit } from './audit/forget.ts'
import { auditKey } from './audit/key.ts'
import { type AuditLog, openAuditLog } from './audit/log.ts'
import { pruneAudit } from './audit/prune.ts'
import { type AuditReport, verifyAudit } from './audit/verify.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { type Duration, milliseconds } from './base/durations.ts'
import { createEvents, type Events } from './base/events.ts'
import type { Vault } from './base/seal.ts'
import { deleteSteps } from './call/delete-steps.ts'
import { type Answered, answer } from './elicitation/answer.ts'
import type { Answering } from './elicitation/answerers.ts'
import { type Asked, ask } from './elicitation/ask.ts'
import type { Channel } from './elicitation/channel.ts'
import type { Desk, ElicitationNews } from './elicitation/desk.ts'
import type { Answer, Elicitation, ElicitationId } from './elicitation/elicitation.ts'
import { deleteSettled, expire } from './elicitation/expire.ts'
import { find, getResult, listOpen } from './elicitation/find.ts'
import { defaultLimits, type ElicitationLimits } from './elicitation/limits.ts'
import type { Ask } from './elicitation/request.ts'
import type { ElicitationResult } from './elicitation/result.ts'
import { look } from './elicitation/settle.ts'
import { type Waiting, wait } from './elicitation/wait.ts'
import { fail, withdraw, withdrawAsObsolete } from './elicitation/withdraw.ts'
import type { Login, Person } from './participant/identify.ts'
import type { ParticipantId } from './participant/participant.ts'
import type { Requester } from './participant/requester.ts'
import { openStore, readAddress, type StoreAddress } from './stores/open.ts'
import type { Store } from './stores/store.ts'
import { BadKeys } from './vault/errors.ts'
import { type KeyCare, keyCare } from './vault/key-care.ts'
import { type KeyFile, keyFile } from './vault/key-file.ts'
import { envKeys, formatKey, type KeySource, makeKey } from './vault/keys.ts'
import { createVault } from './vault/vault.ts'

/** What an Assent may be told; everything has a default that works on one machine. */
export interface AssentOptions {
  /** An address (`memory:`, `sqlite:<path>`, `postgres://…`) or a store of your own. */
  readonly store?: string | Store
  /** Keys as in ASSENT_KEYS, which is read when this is left out. SQLite makes itself a key file when there are none. */
  readonly keys?: string
  /** Where people reach the pages. */
  readonly publicUrl?: string
  /** Whose access tokens say who somebody is. Left out: there is one local participant. */
  readonly auth?: {
    readonly issuer: string
    /** Whom the tokens must be meant for: this installation. */
    readonly audience: string
    readonly jwksUri?: string
    /** The claim that names a person's groups. Default: `groups`. */
    readonly groupsClaim?: string
  }
  readonly channels?: readonly Channel[]
  readonly limits?: Partial<ElicitationLimits>
  readonly clocks?: {
    /** How long a question stays open. */
    readonly question?: Duration
    /** How often to look for questions whose time is over; 0 for never. */
    readonly tidy?: Duration
  }
  /** How long to keep what is over; for ever when left out. */
  readonly retain?: { readonly settled?: Duration; readonly audit?: Duration }
  readonly clock?: Clock
}

/** Asking, answering and remembering, bound to one store. */
export interface Assent {
  readonly store: Store
  readonly events: Events<ElicitationNews>
  readonly keys: KeyCare
  readonly vault: Vault
  readonly clock: Clock
  readonly limits: ElicitationLimits
  /** How people are known by their tokens; absent where there is one local participant. */
  readonly login?: Login
  /** Writes an event of a channel's own into the audit. */
  record(entry: AuditEntry): Promise<void>
  ask(request: Ask): Promise<Asked>
  answer(id: ElicitationId, answering: Answering, answer: Answer): Promise<Answered>
  wait(id: ElicitationId, waiting?: Waiting): Promise<Elicitation>
  look(id: ElicitationId): Promise<Elicitation>
  find(participant: ParticipantId, type: string): Promise<ElicitationResult | undefined>
  getResult(participant: ParticipantId, id: ElicitationId): Promise<ElicitationResult | undefined>
  listOpen(person: Person, limit: number, after?: ElicitationId): Promise<Elicitation[]>
  withdraw(id: ElicitationId, by: Requester, reason: string): Promise<Elicitation>
  withdrawAsObsolete(id: ElicitationId, reason: string): Promise<Elicitation>
  fail(id: ElicitationId, reason: string): Promise<Elicitation>
  /** Settles questions whose time is over, and deletes what `retain` no longer keeps and steps nobody will ask for again. */
  tidy(): Promise<Tidied>
  /** Deletes everything about a participant. The audit stays whole, and no longer leads to them. */
  forget(participant: ParticipantId): Promise<Forgotten>
  verifyAudit(heads?: readonly Head[]): Promise<AuditReport>
  /** Every event as a line of JSON, each with its line end, and last the heads of all chains. */
  exportAudit(): AsyncIterable<string>
  close(): Promise<void>
}

export interface Tidied {
  readonly expired: number
  readonly deletedQuestions: number
  readonly deletedEvents: number
  readonly deletedSteps: number
}

export interface Forgotten {
  readonly deletedQuestions: number
}

const defaultStore = 'sqlite:.assent/assent.db'
const defaultPublicUrl = 'http://127.0.0.1:4180'
const oneHour = 3_600_000
const longestTimer = 2 ** 31 - 1
const defaultClocks = { question: '10m', tidy: '1m' }

/** Binds the rooms to a store, its keys, a clock and the channels. */
export async function createAssent(options: AssentOptions = {}): Promise<Assent> {
  const { store: where = defaultStore, clock = systemClock } = options
  const times = timesFrom(options)
  const address = typeof where === 'string' ? readAddress(where) : undefined
  const keys = keysFor(address, options.keys ?? process.env.ASSENT_KEYS)
  const vault = createVault(keys)
  // Before the store is opened: with settings that cannot be used nothing is made or migrated.
  await vault.currentKey()
  const login = options.auth && (await loginFrom(options.auth, clock))
  const store = typeof where === 'string' ? await openStore(readAddress(where)) : where
  const key = await orClose(store, auditKey({ store: store.audit, vault }))

  const audit = openAuditLog({ store: store.audit, key, clock })
  const desk = deskFor({ options, store, vault, audit, clock, questionMs: times.question })
  const tidy = () => tidyUp({ desk, store, key, audit, retain: times.retain })
  const isTimeToPrune = atMostEvery(oneHour, clock)
  // Pruning the audit writes to it, so it is not done every minute.
  const tidyInPassing = () =>
    tidyUp({ desk, store, key, audit, retain: isTimeToPrune() ? times.retain : { ...times.retain, audit: undefined } })
  const stopTidying = every(times.tidy, tidyInPassing, (error) => desk.events.tell({ kind: 'tidy-failed', error }))
  const { begin, allDone } = trackWork()

  return {
    store,
    events: desk.events,
    keys: keyCare({
      source: keys,
      vault,
      elicitations: store.elicitations,
      steps: store.steps,
      auditStore: store.audit,
      audit,
    }),
    vault,
    clock,
    limits: desk.limits,
    ...(login && { login }),
    record: (entry) => audit.record(entry),
    ask: (request) => begin(ask(desk, request)),
    answer: (id, answering, given) => begin(answer(desk, id, answering, given)),
    wait: (id, waiting) => begin(wait(desk, id, waiting)),
    look: (id) => begin(look(desk, id)),
    find: (participant, type) => find(desk, participant, type),
    getResult: (participant, id) => getResult(desk, participant, id),
    listOpen: (person, limit, after) => listOpen(desk, person, limit, after),
    withdraw: (id, by, reason) => begin(withdraw(desk, id, by, reason)),
    withdrawAsObsolete: (id, reason) => begin(withdrawAsObsolete(desk, id, reason)),
    fail: (id, reason) => begin(fail(desk, id, reason)),
    tidy: () => begin(tidy()),
    async forget(participant) {
      const deletedQuestions = await store.elicitations.forget(participant)
      await forgetInAudit({ store: store.audit, log: audit, participant })
      return { deletedQuestions }
    },
    verifyAudit: (heads) => verifyAudit({ store: store.audit, key, ...(heads ? { heads } : {}) }),
    exportAudit: () => exportAudit(store.audit, clock.now()),
    async close() {
      for (const sendHome of desk.waiters) sendHome()
      await stopTidying()
      // What was begun is finished: what is saved is also told.
      await allDone()
      try {
        await audit.close()
      } finally {
        await store.close()
      }
    },
  }
}

/** A key file opens only what was sealed on its own machine; a store that many machines share needs keys that they share. */
function keysFor(store: StoreAddress | undefined, given: string | undefined): KeySource | KeyFile {
  if (given !== undefined && given !== '') return envKeys(given)
  if (store?.kind === 'memory') return envKeys(formatKey(makeKey()))
  if (store?.kind === 'sqlite') return keyFile(`${store.path}.keys`)
  throw new BadKeys(
    'This store needs keys that all its processes share. Set ASSENT_KEYS; `assent keys make` prints a key.',
  )
}

/** Loaded where it is needed: most installations on one machine have no login. */
async function loginFrom(auth: NonNullable<AssentOptions['auth']>, clock: Clock): Promise<Login> {
  const { loginByTokens } = await import('./oauth/verify-token.ts')
  return loginByTokens({ ...auth, clock })
}

/** What was opened is closed when the next step fails. */
async function orClose<T>(store: Store, step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    await store.close()
    throw error
  }
}

interface DeskParts {
  readonly options: AssentOptions
  readonly store: Store
  readonly vault: Vault
  readonly audit: AuditLog
  readonly clock: Clock
  readonly questionMs: number
}

function deskFor({ options, store, vault, audit, clock, questionMs }: DeskParts): Desk {
  const publicUrl = (options.publicUrl ?? defaultPublicUrl).replace(/\/$/, '')
  return {
    store: store.elicitations,
    changes: store.changes,
    vault,
    audit,
    clock,
    channels: options.channels ?? [],
    linkTo: (id, page) => `${publicUrl}/elicit/${id}/${page}`,
    limits: { ...defaultLimits, ...withoutUndefined(options.limits ?? {}) },
    questionMs,
    events: createEvents<ElicitationNews>(),
    waiters: new Set(),
  }
}

interface Times {
  readonly question: number
  readonly tidy: number
  readonly retain: { readonly settled?: number | undefined; readonly audit?: number | undefined }
}

/** All of them read before anything is opened: a setting that cannot be read must not fail later, in silence. */
function timesFrom({ clocks = {}, retain = {} }: AssentOptions): Times {
  const maybe = (duration: Duration | undefined) => (duration === undefined ? undefined : milliseconds(duration))
  return {
    question: milliseconds(clocks.question ?? defaultClocks.question),
    tidy: milliseconds(clocks.tidy ?? defaultClocks.tidy),
    retain: { settled: maybe(retain.settled), audit: maybe(retain.audit) },
  }
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}

interface TidyParts {
  readonly desk: Desk
  readonly store: Store
  readonly key: Buffer
  readonly audit: AuditLog
  readonly retain: Times['retain']
}

async function tidyUp({ desk, store, key, audit, retain }: TidyParts): Promise<Tidied> {
  const before = (ms: number) => new Date(desk.clock.now().getTime() - ms)
  const expired = await expire(desk)
  const deletedQuestions = retain.settled === undefined ? 0 : await deleteSettled(desk, before(retain.settled))
  const deletedEvents =
    retain.audit === undefined
      ? 0
      : await pruneAudit({ store: store.audit, key, log: audit, moment: before(retain.audit) })
  const deletedSteps = await deleteSteps(store.steps, desk.clock.now())
  return { expired, deletedQuestions, deletedEvents, deletedSteps }
}

/** True the first time and then once in so long. */
function atMostEvery(ms: number, clock: Clock): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.now().getTime()
    if (now - last < ms) return false
    last = now
    return true
  }
}

/** Does it again and again, never twice at once, and never keeps the process alive for it. Returns how to stop. */
function every(ms: number, work: () => Promise<unknown>, failed: (error: unknown) => void): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let busy = false
  const timer = ms > 0 ? setInterval(tick, Math.min(ms, longestTimer)).unref() : undefined

  function tick(): void {
    if (busy) return
    busy = true
    running = work()
      .catch(failed)
      .finally(() => {
        busy = false
      })
  }

  return async () => {
    clearInterval(timer)
    await running
  }
}

/** Knows what is under way, so that closing can wait for it. */
function trackWork(): { begin<T>(work: Promise<T>): Promise<T>; allDone(): Promise<unknown> } {
  const underWay = new Set<Promise<unknown>>()
  return {
    begin(work) {
      const done: Promise<unknown> = work.catch(() => {}).finally(() => underWay.delete(done))
      underWay.add(done)
      return work
    },
    allDone: () => Promise.all(underWay),
  }
}
