import { type Approvals, createApprovals } from './approval/approvals.ts'
import type { Policy } from './approval/policy/policy.ts'
import { readPolicy } from './approval/policy/read-policy.ts'
import type { Validate } from './approval/question/edit.ts'
import { approvalIn } from './approval/question/subject.ts'
import { type AssentOptions, pagesFrom, type Times, timesFrom, withoutUndefined } from './assent-options.ts'
import type { AuditEntry } from './audit/entry.ts'
import type { Head } from './audit/event.ts'
import { exportAudit } from './audit/export.ts'
import { forgetInAudit } from './audit/forget.ts'
import { auditKey } from './audit/key.ts'
import { type AuditLog, openAuditLog } from './audit/log.ts'
import { pruneAudit } from './audit/prune.ts'
import { type AuditReport, verifyAudit } from './audit/verify.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { createEvents, type Events } from './base/events.ts'
import { atMostEvery, every } from './base/repeat.ts'
import type { Vault } from './base/seal.ts'
import { trackWork } from './base/under-way.ts'
import { deleteSteps } from './call/delete-steps.ts'
import type { Connections } from './connection/connections.ts'
import { createConnections } from './connection/create-connections.ts'
import { defaultConnectionTimes } from './connection/desk.ts'
import type { Provider } from './connection/provider.ts'
import { type Answered, answer } from './elicitation/answering/answer.ts'
import type { Answering } from './elicitation/answering/answerers.ts'
import { type Asked, ask } from './elicitation/asking/ask.ts'
import { checkProviderName } from './elicitation/asking/provider-name.ts'
import type { Ask } from './elicitation/asking/request.ts'
import type { Desk, ElicitationNews } from './elicitation/desk.ts'
import type { Answer, Elicitation, ElicitationId } from './elicitation/elicitation.ts'
import { deleteSettled, expire } from './elicitation/expire.ts'
import { find, getResult } from './elicitation/find.ts'
import { allOpen, listOpen } from './elicitation/inbox.ts'
import { defaultLimits, type ElicitationLimits } from './elicitation/limits.ts'
import { type PageSettings, pageUrl } from './elicitation/page-settings.ts'
import type { ElicitationResult } from './elicitation/result.ts'
import { get } from './elicitation/settle.ts'
import { type WaitOptions, wait } from './elicitation/wait.ts'
import { fail, withdraw, withdrawAsObsolete } from './elicitation/withdraw.ts'
import type { ProviderSettings } from './oauth/providers.ts'
import type { Login, Person } from './participant/identify.ts'
import type { ParticipantId } from './participant/participant.ts'
import type { Requester } from './participant/requester.ts'
import { openStore, readAddress, type StoreAddress } from './stores/open.ts'
import type { Store } from './stores/store.ts'
import { BadKeys } from './vault/errors.ts'
import { type KeyFile, keyFile } from './vault/key-file.ts'
import { createKeyManagement, type KeyManagement } from './vault/key-management.ts'
import { envKeys, formatKey, type KeySource, makeKey } from './vault/keys.ts'
import { createVault } from './vault/vault.ts'

/** Asking, answering and remembering, bound to one store. */
export interface Assent {
  readonly store: Store
  readonly events: Events<ElicitationNews>
  readonly keys: KeyManagement
  readonly vault: Vault
  readonly clock: Clock
  readonly limits: ElicitationLimits
  /** How long a question stays open, unless its asker says otherwise, in milliseconds. */
  readonly questionMs: number
  /** How people are known by their tokens; absent where there is one local participant. */
  readonly login?: Login
  /** Where people reach the pages, and how these look. */
  readonly pages: PageSettings
  /** Accounts at outside services. */
  readonly connections: Connections
  /** Who may let which call run. */
  readonly approvals: Approvals
  /** The address of a page about a question. */
  linkTo(id: ElicitationId, page: string): string
  /** Writes an event into the audit. Events of your own have kinds that begin with `custom:`. */
  record(entry: AuditEntry): Promise<void>
  ask(request: Ask): Promise<Asked>
  answer(id: ElicitationId, answering: Answering, answer: Answer): Promise<Answered>
  wait(id: ElicitationId, waiting?: WaitOptions): Promise<Elicitation>
  /** The question as it stands now, or undefined if it is gone. */
  get(id: ElicitationId): Promise<Elicitation | undefined>
  find(participant: ParticipantId, type: string): Promise<ElicitationResult | undefined>
  getResult(participant: ParticipantId, id: ElicitationId): Promise<ElicitationResult | undefined>
  /** What waits for this person, most urgent first. Give the last id of one page as `after` to get the next. */
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
  readonly deletedConnections: number
  readonly deletedGrants: number
}

const defaultStore = 'sqlite:.assent/assent.db'
const oneHour = 3_600_000
/** What one tidying deletes at most of each kind; the next one goes on. */
const atOnce = 1_000

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
  const providers = await providersOf(options, clock)
  const pages = pagesFrom(options)
  const policy = await readPolicy(options.policy ?? {}, { fallback: 'deny' })
  const store = typeof where === 'string' ? await openStore(readAddress(where)) : where
  const key = await orClose(store, auditKey({ store: store.audit, vault }))

  const audit = openAuditLog({ store: store.audit, key, clock })
  const desk = deskFor({ options, store, vault, audit, clock, pages, questionMs: times.question })
  const tidy = () => tidyUp({ desk, store, key, audit, retain: times.retain })
  const isTimeToPrune = atMostEvery(oneHour, clock)
  // Pruning the audit writes to it, so it is not done every minute.
  const tidyInPassing = () =>
    tidyUp({ desk, store, key, audit, retain: isTimeToPrune() ? times.retain : { ...times.retain, audit: undefined } })
  const stopTidying = every(times.tidy, tidyInPassing, (error) => desk.events.tell({ kind: 'tidy-failed', error }))
  const { begin, allDone } = trackWork()
  const connections = createConnections({
    store: store.connections,
    providers,
    vault,
    audit,
    clock,
    questions: {
      get: (id) => get(desk, id),
      answer: (id, answering, given) => answer(desk, id, answering, given, approvals.answerRules),
      fail: (id, reason) => fail(desk, id, reason),
    },
    redirectUri: options.callbackUrl ?? `${pages.publicUrl}/oauth/callback`,
    ...defaultConnectionTimes,
    browserFlowMs: times.browserFlow,
  })
  let validate = await validatorFor(policy)
  const approvals = createApprovals(
    {
      store: store.grants,
      questions: {
        ask: (request) => ask(desk, request),
        get: (id) => get(desk, id),
        withdrawAsObsolete: (id, reason) => withdrawAsObsolete(desk, id, reason),
        allOpen: () => allOpen(desk),
      },
      audit,
      clock,
      validate: (schema, value) => validate(schema, value),
      // What the next policy lets people edit must be judged as well.
      async prepare(next) {
        validate = await validatorFor(next)
      },
      unspentMs: times.unspentYes,
    },
    policy,
  )

  /** An approval's answer is what it means: the grant it brings is kept with it. */
  async function answerAny(id: ElicitationId, answering: Answering, given: Answer): Promise<Answered> {
    const answered = await answer(desk, id, answering, given, approvals.answerRules)
    if (answered.kind === 'invalid') return answered
    const { elicitation } = answered
    // Late or not: whoever answered first may have been cut off in between.
    const isAnswered = elicitation.state.kind === 'answered' && approvalIn(elicitation) !== undefined
    if (isAnswered) await approvals.keepGrant(elicitation)
    return answered
  }

  return {
    store,
    events: desk.events,
    keys: createKeyManagement({
      source: keys,
      vault,
      elicitations: store.elicitations,
      steps: store.steps,
      connections: store.connections,
      auditStore: store.audit,
      audit,
    }),
    vault,
    clock,
    limits: desk.limits,
    questionMs: desk.questionMs,
    ...(login && { login }),
    pages,
    connections,
    approvals,
    linkTo: (id, page) => pageUrl(pages, id, page),
    record: (entry) => audit.record(entry),
    ask: (request) => begin(ask(desk, request)),
    answer: (id, answering, given) => begin(answerAny(id, answering, given)),
    wait: (id, waiting) => begin(wait(desk, id, waiting)),
    get: (id) => begin(get(desk, id)),
    find: (participant, type) => find(desk, participant, type),
    getResult: (participant, id) => getResult(desk, participant, id),
    listOpen: (person, limit, after) => listOpen(desk, person, limit, after),
    withdraw: (id, by, reason) => begin(withdraw(desk, id, by, reason)),
    withdrawAsObsolete: (id, reason) => begin(withdrawAsObsolete(desk, id, reason)),
    fail: (id, reason) => begin(fail(desk, id, reason)),
    tidy: () => begin(tidy()),
    async forget(participant) {
      const held = await connections.list(participant)
      // Given up at the provider too, where it can be told; what cannot be is deleted all the same.
      await Promise.allSettled(held.map(({ provider }) => connections.disconnect(participant, provider)))
      const left = await store.connections.forget(participant)
      const deletedGrants = await store.grants.forget(participant)
      await store.browsers.forget(participant)
      const deletedQuestions = await store.elicitations.forget(participant)
      await forgetInAudit({ store: store.audit, log: audit, participant })
      return { deletedQuestions, deletedConnections: Math.max(held.length, left), deletedGrants }
    },
    verifyAudit: (heads) => verifyAudit({ store: store.audit, key, ...(heads ? { heads } : {}) }),
    exportAudit: () => exportAudit(store.audit, clock.now()),
    async close() {
      for (const sendHome of desk.waiters) sendHome()
      await stopTidying()
      // What was begun is finished: what is saved is also told.
      await allDone()
      await Promise.allSettled(desk.channels.map((channel) => channel.close?.()))
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
  const { loginByTokens } = await import('./oauth/login/verify-token.ts')
  return loginByTokens({ ...auth, clock })
}

async function providersOf({ providers = {} }: AssentOptions, clock: Clock): Promise<ReadonlyMap<string, Provider>> {
  if (providers instanceof Map) {
    for (const name of providers.keys()) checkProviderName(name)
    return providers
  }
  if (Object.keys(providers).length === 0) return new Map()
  const { providersFrom } = await import('./oauth/providers.ts')
  return providersFrom(providers as Readonly<Record<string, ProviderSettings>>, { clock })
}

/** Loaded where it is needed: only what a rule lets an approver edit is ever judged by a tool's schema. */
async function validatorFor({ rules }: Policy): Promise<Validate> {
  if (!rules.some(({ rule }) => rule.editable.length > 0)) return () => ['The arguments must stay as they are.']
  return (await import('./approval/question/tool-schema.ts')).validateArguments
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
  readonly pages: PageSettings
  readonly questionMs: number
}

function deskFor({ options, store, vault, audit, clock, pages, questionMs }: DeskParts): Desk {
  return {
    store: store.elicitations,
    changes: store.changes,
    vault,
    audit,
    clock,
    channels: options.channels ?? [],
    linkTo: (id, page, connect) =>
      connect === undefined
        ? pageUrl(pages, id, page)
        : `${pages.publicUrl}/oauth/connect/${connect.provider}?elicitation_id=${id}`,
    limits: { ...defaultLimits, ...withoutUndefined(options.limits ?? {}) },
    questionMs,
    events: createEvents<ElicitationNews>(),
    waiters: new Set(),
  }
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
  const now = desk.clock.now()
  const deletedSteps = await deleteSteps(store.steps, now)
  await store.connections.deleteFlows(now, atOnce)
  await store.browsers.deleteOver(now, atOnce)
  if (retain.settled !== undefined) await store.grants.deleteOver(before(retain.settled), atOnce)
  return { expired, deletedQuestions, deletedEvents, deletedSteps }
}
