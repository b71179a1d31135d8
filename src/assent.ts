import { type Approvals, createApprovals } from './approval/approvals.ts'
import { keepLateEnds } from './approval/late-ends.ts'
import type { Policy } from './approval/policy/policy.ts'
import { readPolicy } from './approval/policy/read-policy.ts'
import type { Validate } from './approval/question/edit.ts'
import { type AssentOptions, pagesFrom, timesFrom, withoutUndefined } from './assent-options.ts'
import type { AuditEntry } from './audit/entry.ts'
import type { Head } from './audit/event.ts'
import { exportAudit } from './audit/export.ts'
import { auditKey } from './audit/key.ts'
import { type AuditLog, openAuditLog } from './audit/log.ts'
import { tellStored } from './audit/tell-stored.ts'
import { type AuditReport, verifyAudit } from './audit/verify.ts'
import type { Clock } from './base/clock.ts'
import { BadConfig } from './base/errors.ts'
import { createEvents, type Events } from './base/events.ts'
import type { Vault } from './base/seal.ts'
import { trackWork } from './base/under-way.ts'
import { rememberUntil } from './call/step.ts'
import type { Connections } from './connection/connections.ts'
import { createConnections } from './connection/create-connections.ts'
import { defaultConnectionTimes } from './connection/desk.ts'
import { createRegistrations } from './connection/registration/registrations.ts'
import { createDefinitions, type ToolDefinitions } from './definition/definitions.ts'
import { answer, beginSigningAnswer, type SigningAnswer } from './elicitation/answering/answer.ts'
import type { Answered } from './elicitation/answering/answered.ts'
import type { Answering } from './elicitation/answering/answerers.ts'
import { type Asked, ask } from './elicitation/asking/ask.ts'
import { attend } from './elicitation/asking/attend.ts'
import type { Ask } from './elicitation/asking/request.ts'
import type { Channel } from './elicitation/channel.ts'
import type { Desk, ElicitationNews } from './elicitation/desk.ts'
import type { Answer, Elicitation, ElicitationId } from './elicitation/elicitation.ts'
import { find, getResult } from './elicitation/find.ts'
import { allOpen, listOpen, listOpenOf, listRequesters } from './elicitation/inbox.ts'
import { defaultLimits, type ElicitationLimits } from './elicitation/limits.ts'
import { type PageSettings, pageUrl } from './elicitation/page-settings.ts'
import type { ElicitationResult } from './elicitation/result.ts'
import { get } from './elicitation/settle.ts'
import type { OpenRequesters } from './elicitation/store.ts'
import { createWaits, type WaitOptions, wait } from './elicitation/wait.ts'
import { fail, withdraw, withdrawAsObsolete } from './elicitation/withdraw.ts'
import { openProviders } from './oauth/open-providers.ts'
import type { Login, Person } from './participant/identify.ts'
import type { ParticipantId } from './participant/participant.ts'
import { peopleIn } from './participant/people.ts'
import { createPushSubscriptions, type PushSubscriptions } from './participant/push-subscriptions.ts'
import type { Requester } from './participant/requester.ts'
import { defaultPasskeyLimits } from './passkey/desk.ts'
import { createPasskeys, type Passkeys } from './passkey/passkeys.ts'
import { type RelyingParty, relyingPartyOf, relyingPartyProblem } from './passkey/relying-party.ts'
import { signaturesBy } from './passkey/signatures.ts'
import { defaultRollupLimits, startCounting } from './rollup/count.ts'
import { clockProblem } from './stores/clock-problem.ts'
import { openStore, readAddress, type StoreAddress } from './stores/open.ts'
import type { Store } from './stores/store.ts'
import { type Forgotten, startUpkeep, type Tidied } from './upkeep.ts'
import { derive, derivedVault } from './vault/derived.ts'
import { BadKeys } from './vault/errors.ts'
import { type KeyFile, keyFile } from './vault/key-file.ts'
import { createKeyManagement, type KeyManagement } from './vault/key-management.ts'
import { envKeys, formatKey, type KeySource, makeKey } from './vault/keys.ts'
import { createVault } from './vault/vault.ts'

/** Asking, answering and remembering, bound to one store. */
export interface Assent {
  /** Where everything is kept. */
  readonly store: Store
  /** Tells when questions are asked and settled, and what went wrong. */
  readonly events: Events<ElicitationNews>
  /** Lists, rotates and drops the keys that seal secrets. */
  readonly keys: KeyManagement
  /** Seals and opens secrets with those keys. */
  readonly vault: Vault
  /** Where time comes from. */
  readonly clock: Clock
  /** Ways in which people are told of questions. */
  readonly channels: readonly Channel[]
  /** The browsers that people are told in by push. */
  readonly subscriptions: PushSubscriptions
  /** How much one requester may make Assent keep. */
  readonly limits: ElicitationLimits
  /** How long a question stays open, unless its asker says otherwise, in milliseconds. */
  readonly questionMs: number
  /** Identifies people by their tokens; absent where there is one local participant. */
  readonly login?: Login
  /** Where people reach the pages, and how these look. */
  readonly pages: PageSettings
  /** Accounts at outside services. */
  readonly connections: Connections
  /** Decides which calls run, and remembers what people allowed and denied. */
  readonly approvals: Approvals
  /** What servers say of their tools, and what of it an administrator allowed. */
  readonly definitions: ToolDefinitions
  /** The passkeys with which people sign what they allow. */
  readonly passkeys: Passkeys
  /** The address of a page about a question. */
  linkTo(id: ElicitationId, page: string): string
  /** Writes an event into the audit. Events of your own have kinds that begin with `custom:`. */
  record(entry: AuditEntry): Promise<void>
  /** Asks a question, or joins the same question if it is open already. */
  ask(request: Ask): Promise<Asked>
  /** Answers a question. Of many answers the first is kept; the others are told which one holds. */
  answer(id: ElicitationId, answering: Answering, answer: Answer): Promise<Answered>
  /** What a person must sign with a passkey so that this answer counts, given with `via: 'passkey'`. */
  beginSigning(id: ElicitationId, person: Person, answer: Answer): Promise<SigningAnswer>
  /** Waits until a question is settled, by this process or another. */
  wait(id: ElicitationId, waiting?: WaitOptions): Promise<Elicitation>
  /** The question as it stands now, or undefined if it is gone. */
  get(id: ElicitationId): Promise<Elicitation | undefined>
  /** The participant's latest answer to a question of this type, or undefined if there is none. */
  find(participant: ParticipantId, type: string): Promise<ElicitationResult | undefined>
  /** The answer to a question of this participant's own, or undefined while there is none. */
  getResult(participant: ParticipantId, id: ElicitationId): Promise<ElicitationResult | undefined>
  /** What waits for this person, most urgent first. Give the last id of one page as `after` to get the next. */
  listOpen(person: Person, limit: number, after?: ElicitationId): Promise<Elicitation[]>
  /** Who asks this person, and how much; the requester that asked last first. `after`: the id of the last `newest`. */
  listRequesters(person: Person, limit: number, after?: ElicitationId): Promise<OpenRequesters>
  /** What one of these requesters asks this person, the newest first, page by page as in `listOpen`. */
  listOpenOf(person: Person, requester: string, limit: number, after?: ElicitationId): Promise<Elicitation[]>
  /** Notes that the client which asked stays connected until the signal aborts. After that the open question says so. */
  attend(id: ElicitationId, connected: AbortSignal): void
  /** Takes a question back for the requester who asked it. */
  withdraw(id: ElicitationId, by: Requester, reason: string): Promise<Elicitation>
  /** Takes a question back that no longer makes sense, such as when its rule is gone. */
  withdrawAsObsolete(id: ElicitationId, reason: string): Promise<Elicitation>
  /** Ends a question that cannot be answered any more, with a reason that people may read. */
  fail(id: ElicitationId, reason: string): Promise<Elicitation>
  /** What is wrong with this machine's clock, in words; undefined while it agrees with the store's. */
  clockProblem(): string | undefined
  /** Settles questions whose time is over, and deletes records that are older than `retain` says. */
  tidy(): Promise<Tidied>
  /** Deletes everything about a participant. The audit stays whole, and no longer leads to them. */
  forget(participant: ParticipantId): Promise<Forgotten>
  /**
   * Checks that no event of the audit was changed or removed; with `heads` of an export also none at the end. `progress` is
   * told how many events were checked so far.
   */
  verifyAudit(heads?: readonly Head[], progress?: (events: number) => void): Promise<AuditReport>
  /** Every event as a line of JSON, each with its line end, and last the heads of all chains. */
  exportAudit(): AsyncIterable<string>
  /** To be called before it is closed: calls that are held for a person end as pending, and their questions stay open. */
  endWaits(): void
  /** Finishes what has begun, and closes the store. */
  close(): Promise<void>
}

const defaultStore = 'sqlite:.assent/assent.db'

/** Binds the rooms to a store, its keys, a clock and the channels. */
export async function createAssent(options: AssentOptions = {}): Promise<Assent> {
  const { store: where = defaultStore } = options
  // Login and providers are made before the store is opened, and read the clock only after it was.
  const clock: Clock = options.clock ?? {
    now: () => store.clock.now(),
    after: (ms, due) => store.clock.after(ms, due),
  }
  const times = timesFrom(options)
  const address = typeof where === 'string' ? readAddress(where) : undefined
  const keys = keysFor(address, options.keys ?? process.env.ASSENT_KEYS)
  const vault = createVault(keys)
  // Before the store is opened: with settings that cannot be used nothing is made or migrated.
  await vault.currentKey()
  const login = options.auth && (await loginFrom(options.auth, clock))
  const pages = pagesFrom(options)
  const callbackUrl = options.callbackUrl ?? `${pages.publicUrl}/oauth/callback`
  const registrations = () => createRegistrations({ store: store.registrations, vault, audit, clock })
  const providers = await openProviders(options.providers ?? {}, clock, {
    title: pages.title,
    publicUrl: pages.publicUrl,
    callbackUrl,
    // Read only when somebody connects, when the store is open.
    clients: {
      get: (issuer, resource) => registrations().get(issuer, resource),
      keep: (issuer, resource, client) => registrations().keep(issuer, resource, client),
      forget: (issuer, resource, clientId) => registrations().forget(issuer, resource, clientId),
    },
  })
  const policy = await readPolicy(options.policy ?? {}, { fallback: 'deny' })
  const site = relyingPartyOf(pages.publicUrl, pages.title)
  checkPasskeyRules(policy, site)
  const store = typeof where === 'string' ? await openStore(readAddress(where)) : where
  const key = await orClose(store, auditKey({ store: store.audit, vault }))

  const { onStored } = options
  const audit = openAuditLog({
    store: onStored ? tellStored(store.audit, onStored) : store.audit,
    key,
    clock,
    see: (entry) => counting.see(entry),
  })
  const passkeys = createPasskeys({
    store: store.passkeys,
    vault,
    audit,
    clock,
    site,
    limits: { ...defaultPasskeyLimits, ...withoutUndefined(options.limits ?? {}) },
    async claimOnce(name, until) {
      return (await store.steps.claim({ walkId: 'passkey', name }, rememberUntil(until))).kind === 'claimed'
    },
  })
  const desk = deskFor({ options, store, vault, audit, clock, pages, questionMs: times.question, passkeys })
  const counting = startCounting({
    store: store.rollups,
    events: desk.events,
    clock,
    limits: { ...defaultRollupLimits, ...withoutUndefined(options.limits ?? {}) },
    writeMs: times.counts,
  })
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
    redirectUri: callbackUrl,
    ...defaultConnectionTimes,
    browserFlowMs: times.browserFlow,
  })
  let validate = await validatorFor(policy)
  const lateEnds = keepLateEnds(clock)
  const approvals = createApprovals(
    {
      store: store.grants,
      usage: store.usage,
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
        checkPasskeyRules(next, site)
        validate = await validatorFor(next)
      },
      unspentMs: times.unspentYes,
      lateEnds,
      endUnrecorded: (error) => desk.events.tell({ kind: 'end-unrecorded', error }),
    },
    policy,
  )

  const problemOfClock = () => clockProblem(store.clock, times.skew)
  const upkeep = startUpkeep({
    desk,
    store,
    key,
    audit,
    connections,
    retain: times.retain,
    everyMs: times.tidy,
    clockProblem: problemOfClock,
  })
  const answerAny = async (id: ElicitationId, answering: Answering, given: Answer) =>
    approvals.keepAnswered(await answer(desk, id, answering, given, approvals.answerRules))
  const subscriptions = createPushSubscriptions({
    seed: derive(key, 'push', 32),
    pushes: store.pushes,
    browsers: store.browsers,
    vault: derivedVault(key, 'push'),
    clock,
    groupsOf: async (participant) => (await desk.people.find(participant))?.groups,
    record: (entry) => audit.record(entry),
  })
  for (const channel of desk.channels) {
    channel.begin?.({
      subscriptions,
      async answer(id, participant, given) {
        const { groups } = (await desk.people.find(participant)) ?? { groups: [] }
        return begin(answerAny(id, { participant, groups, via: 'channel' }, given))
      },
    })
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
      registrations: store.registrations,
      auditStore: store.audit,
      audit,
    }),
    vault,
    clock,
    channels: desk.channels,
    subscriptions,
    limits: desk.limits,
    questionMs: desk.questionMs,
    ...(login && { login }),
    pages,
    connections,
    approvals,
    definitions: createDefinitions({ store: store.definitions, audit, clock }),
    passkeys,
    linkTo: (id, page) => pageUrl(pages, id, page),
    record: (entry) => audit.record(entry),
    ask: (request) => begin(ask(desk, request)),
    answer: (id, answering, given) => begin(answerAny(id, answering, given)),
    beginSigning: (id, person, given) => begin(beginSigningAnswer(desk, id, person, given, approvals.answerRules)),
    wait: (id, waiting) => begin(wait(desk, id, waiting)),
    get: (id) => begin(get(desk, id)),
    find: (participant, type) => find(desk, participant, type),
    getResult: (participant, id) => getResult(desk, participant, id),
    listOpen: (person, limit, after) => listOpen(desk, person, limit, after),
    listRequesters: (person, limit, after) => listRequesters(desk, person, limit, after),
    listOpenOf: (person, requester, limit, after) => listOpenOf(desk, person, requester, limit, after),
    attend: (id, connected) => attend(desk, id, connected, begin),
    withdraw: (id, by, reason) => begin(withdraw(desk, id, by, reason)),
    withdrawAsObsolete: (id, reason) => begin(withdrawAsObsolete(desk, id, reason)),
    fail: (id, reason) => begin(fail(desk, id, reason)),
    clockProblem: problemOfClock,
    tidy: () => begin(upkeep.tidy()),
    forget: (participant) => upkeep.forget(participant),
    verifyAudit: (heads, progress) =>
      verifyAudit({ store: store.audit, key, ...(heads && { heads }), ...(progress && { progress }) }),
    exportAudit: () => exportAudit(store.audit, clock.now()),
    endWaits: () => desk.waits.endAll(),
    async close() {
      desk.waits.endAll()
      await upkeep.stop()
      // What was begun is finished: what is saved is also told.
      await allDone()
      await Promise.allSettled(desk.channels.map((channel) => channel.close?.()))
      await lateEnds.close()
      try {
        await audit.close()
        await counting.close()
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

/** Loaded where it is needed: only what a rule lets an approver edit is ever judged by a tool's schema. */
async function validatorFor({ rules }: Policy): Promise<Validate> {
  if (!rules.some(({ rule }) => rule.editable.length > 0)) return () => ['The arguments must stay as they are.']
  return (await import('./approval/question/tool-schema.ts')).validateArguments
}

/** A rule that nobody could ever meet is a fault of the settings, and is said before anybody is asked. */
function checkPasskeyRules({ rules }: Policy, site: RelyingParty): void {
  const problem = relyingPartyProblem(site)
  const needsPasskey = rules.some(({ rule }) => rule.answer === 'passkey')
  if (needsPasskey && problem !== undefined)
    throw new BadConfig(`A rule says answer: passkey. ${problem}`, ['publicUrl'])
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
  readonly passkeys: Passkeys
}

function deskFor({ options, store, vault, audit, clock, pages, questionMs, passkeys }: DeskParts): Desk {
  return {
    store: store.elicitations,
    changes: store.changes,
    vault,
    audit,
    clock,
    channels: options.channels ?? [],
    signatures: signaturesBy(passkeys),
    linkTo: (id, page, connect) =>
      connect === undefined
        ? pageUrl(pages, id, page)
        : `${pages.publicUrl}/oauth/connect/${connect.provider}?elicitation_id=${id}`,
    limits: { ...defaultLimits, ...withoutUndefined(options.limits ?? {}) },
    people: peopleIn(store.browsers, options.auth?.issuer),
    questionMs,
    events: createEvents<ElicitationNews>(),
    attended: new Map(),
    waits: createWaits(),
  }
}
