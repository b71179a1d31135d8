import { hash, randomUUID } from 'node:crypto'
import { createEvents, type Events } from '../../base/events.ts'
import { inBackground } from '../../base/under-way.ts'
import type { Post } from '../../instance/post.ts'
import { codes } from '../../mcp/codes.ts'
import { createAgentTools } from '../approval/agent-tools.ts'
import { createHeldCalls } from '../approval/hold.ts'
import { createSpaceQuestions } from '../approval/questions.ts'
import type { AssentForHub } from '../needs.ts'
import { type HubLimits, type HubTimes, type Member, membersOf, type SpaceOptions } from '../options.ts'
import { capabilitiesOf } from '../routing/capabilities.ts'
import { learnFrom } from '../routing/learn.ts'
import { createOpenRequests, keptDetails, type OpenRequest, standOf } from '../routing/open-requests.ts'
import { createRate, type Rate } from '../routing/rate.ts'
import type { Router } from '../routing/receive.ts'
import { adoptRequests, loadOpen } from '../sharing/adopt.ts'
import { meetPeers } from '../sharing/peers.ts'
import { readLog } from '../sharing/reader.ts'
import type { Appended, KeptEnvelope, NewEnvelope } from '../store.ts'
import { closeCodes, type SpaceSocket } from '../wire/connection.ts'
import { problemPayload, writeEnvelope } from '../wire/write.ts'
import { catchUp } from './catch-up.ts'
import { keepCursors } from './cursors.ts'
import { type Delivered, deliverTo } from './delivery.ts'
import type { HubNews, Posting, SpaceDesk } from './desk.ts'
import { createJoined, type Joined, type Joining } from './joined.ts'
import { createSpaceLog, type Failed } from './log.ts'
import { welcomePayload } from './presence.ts'
import { takeMessages } from './take-message.ts'
import { keepSpaceTidy } from './upkeep.ts'

/** Where agents and people meet. */
export interface Space {
  readonly name: string
  readonly members: ReadonlyMap<string, Member>
  /** Lets a participant in, and tells how to hand over its messages and its leaving. */
  join(member: Member, connection: SpaceSocket, joining: Joining): Seat
  /** Who is here now. */
  here(): readonly string[]
  /** Requests without an answer, and how many of them wait for a person. */
  waiting(): { readonly open: number; readonly held: number }
  /** Ends all connections. What is held stays held, and continues when the hub is back. */
  close(): Promise<void>
}

/** The place of one connection in its space. */
export interface Seat {
  receive(data: Buffer): void
  left(words: string): void
}

export interface SpaceParts {
  readonly name: string
  readonly options: SpaceOptions
  readonly assent: AssentForHub
  readonly limits: HubLimits
  readonly times: HubTimes
  readonly events: Events<HubNews>
  /** This process among those that share its store. */
  readonly post: Post | undefined
}

const weekMs = 7 * 86_400_000
const retryMs = 1_000

/** Opens a space, and continues what was held when the hub was last stopped or killed. */
export async function openSpace(parts: SpaceParts): Promise<Space> {
  const { name, options, assent, limits, times, events, post: postOffice } = parts
  const { historyMs = weekMs } = options
  const members = membersOf(name, options)
  const capabilities = new Map([...members.values()].map((member) => [member.id, capabilitiesOf(member)]))
  const store = assent.store.hub
  const log = createSpaceLog(store)
  const requests = createOpenRequests()
  const arrivals = createEvents<string>()
  const here = new Map<string, Joined>()
  // Of the participant, not of its connection: who joins again may not send more for it.
  const rates = new Map([...members.keys()].map((id) => [id, createRate(limits.envelopesPerSecond, limits.burst)]))
  const cursors = keepCursors(name, store)
  const observers = [...members.keys()].filter((id) => capabilities.get(id)?.mayObserve)
  const delivery = deliverTo({ space: name, here, observers, assent, events })
  let isClosed = false

  const peers = await meetPeers({
    space: name,
    post: postOffice,
    after: (ms, due) => assent.clock.after(ms, due),
    mine: () => new Map([...here].flatMap(([id, { number }]) => (number === undefined ? [] : [[id, number]]))),
    isMine: (id) => here.has(id),
    onError: (error) => events.tell({ kind: 'hub-failed', space: name, error }),
    came: (id, wasHere) => arrived(id, wasHere),
    gone: (id, words) => withMember(id, (member) => delivery.announce('leave', member, words)),
    heartbeat: (id) => withMember(id, (member) => delivery.announce('heartbeat', member)),
    letGo,
    grown: () => reader.grown(),
    message: (id, text) => here.get(id)?.send(text),
    word: (word) => tools.heard(word),
    lookAround: () => desk.surely(() => adoptRequests({ desk, peers, resume })),
  })

  const desk: SpaceDesk = {
    name,
    instance: peers.id,
    members,
    assent,
    limits,
    times,
    requests,
    events,
    isHere: (id) => here.has(id) || peers.isHere(id),
    whenHere: (id, withinMs) =>
      new Promise((resolve) => {
        if (desk.isHere(id)) {
          resolve(true)
          return
        }
        const end = (came: boolean) => {
          callOff()
          stop()
          resolve(came)
        }
        const callOff = assent.clock.after(withinMs, () => end(false))
        const stop = arrivals.listen((who) => (who === id ? end(true) : undefined))
      }),
    post,
    async release(request, text, details) {
      const { from, id } = request
      const handedTo = () => (peers.isAlone() && here.get(details.to)?.takesAtOnce() ? details.to : undefined)
      await log.release({ space: name, from, id }, { text, open: keptDetails(details), handedTo }, (seq) => {
        Object.assign(request, { text, details, isHeld: false })
        kept({ from, id, to: [details.to], text }, seq)
      })
    },
    async keepDetails(request, details) {
      const { from, id } = request
      const seq = await store.change({ space: name, from, id }, { open: keptDetails(details) })
      if (seq === undefined) {
        drop(request)
        return false
      }
      request.details = details
      return true
    },
    async stop(request) {
      drop(request)
      await store.change({ space: name, from: request.from, id: request.id }, { state: 'stopped', open: null })
    },
    async reload(request) {
      const now = await store.get(name, request.from, request.id)
      if (now?.open === undefined) drop(request)
      else Object.assign(request, standOf(now))
    },
    tell(id, writing) {
      const { text } = writeEnvelope(assent.clock.now(), { ...writing, to: [id] })
      const joined = here.get(id)
      if (joined === undefined) peers.send(id, text)
      else joined.send(text)
    },
    isRunning: peers.isRunning,
    sendTo: (instance, word) => peers.sendTo(instance, { ...word, space: name }),
    acknowledge: (id, envelope) => here.get(id)?.acknowledge(envelope),
    surely(work) {
      const attempt = () => {
        if (isClosed) return
        work().catch((error) => {
          if (isClosed) return
          events.tell({ kind: 'hub-failed', space: name, error })
          assent.clock.after(retryMs, attempt)
        })
      }
      attempt()
    },
    failed(id, envelope, error) {
      events.tell({ kind: 'hub-failed', space: name, error })
      const message = 'This cannot be kept right now. Send it again.'
      desk.refuse(id, { code: 'unavailable', message, correlationId: envelope })
    },
    refuse(id, problem) {
      const { correlationId, code } = problem
      events.tell({ kind: 'hub-refused', space: name, code })
      desk.tell(id, { kind: 'system', ...(correlationId && { correlationId }), payload: problemPayload(problem) })
    },
  }

  function withMember(id: string, tell: (member: Member) => void): void {
    const member = members.get(id)
    if (member !== undefined) tell(member)
  }

  /** It needs no answer any more: whoever waits for one stops. */
  function drop(request: OpenRequest): void {
    requests.remove(request)
    request.givenUp.abort()
  }

  function post(posting: Posting): Promise<Appended | Failed> {
    const { from, id, to, text, original = text, state = 'sent', opens, answers, stops = false } = posting
    const envelope: NewEnvelope = {
      space: name,
      from,
      id,
      to,
      at: assent.clock.now(),
      digest: hash('sha256', original, 'base64url'),
      text,
      state,
      ...(opens && { open: keptDetails(opens.details) }),
    }
    // Known from now on, so that an answer cannot come before it.
    if (opens !== undefined && requests.byEnvelope(from, id) === undefined) requests.add(opens)
    const isHanded = state === 'sent' && peers.isAlone()
    const plain = isHanded ? to.filter((one) => here.get(one)?.takesAtOnce()) : []
    const appending = {
      envelope,
      ...(answers && { answers: { from: answers.from, id: answers.id, ...(stops && { stops }) } }),
      ...(plain.length > 0 && { handedTo: plain }),
    }
    return new Promise((resolve) => {
      log.append(appending, (end) => {
        settle(posting, envelope, end)
        resolve(end)
      })
    })
  }

  function settle(posting: Posting, { digest }: NewEnvelope, end: Appended | Failed): void {
    const { from, id, opens, answers } = posting
    if (end.kind !== 'added' && opens !== undefined && requests.byEnvelope(from, id) === opens) requests.remove(opens)
    if (end.kind === 'failed') {
      desk.failed(from, id, end.error)
      return
    }
    if (end.kind === 'known' && end.digest !== digest) {
      const message = 'You used this id for another envelope before. Each envelope has an id of its own.'
      desk.refuse(from, { code: 'id-used', message, correlationId: id })
      return
    }
    if (answers !== undefined) drop(answers)
    // What it answers was answered at the same time, and its sender need not send it again.
    here.get(from)?.acknowledge(id)
    if (end.kind === 'added') kept(posting, end.seq)
  }

  /** Something was kept here: it is delivered, and other instances learn of it. */
  function kept(envelope: Delivered & { readonly state?: NewEnvelope['state'] }, seq: number): void {
    const isNext = reader.isNext(seq)
    if (isNext && envelope.state !== 'held') delivery.deliver(envelope, seq)
    peers.wake()
  }

  /** Takes envelopes as they stand in the log, those of other instances among them. */
  async function take(page: readonly KeptEnvelope[]): Promise<void> {
    const received = new Map<string, number>()
    for (const { to, seq, state } of page) {
      if (state === 'sent') for (const id of to) if (here.get(id)?.takesAtOnce()) received.set(id, seq)
    }
    if (received.size > 0) await store.saveReceived(name, received)
    for (const one of page) {
      learnFrom(router, one)
      if (one.state === 'sent') delivery.deliver(one, one.seq)
    }
  }

  const questions = createSpaceQuestions(desk)
  const tools = createAgentTools(desk)
  const held = createHeldCalls({ desk, tools, questions })
  const router: Router = { desk, tools, questions, held }
  const takeMessage = takeMessages({
    router,
    capabilities,
    beat(member) {
      delivery.announce('heartbeat', member)
      peers.beat(member.id)
    },
  })
  const [newest] = await store.history(name, 1)
  const reader = readLog({
    space: name,
    store,
    from: newest?.seq ?? 0,
    isAlone: peers.isAlone,
    take,
    surely: desk.surely,
  })

  function resume(request: OpenRequest): void {
    const { question, walkId } = request.details
    if (request.isHeld) held.start(request)
    else if (question !== undefined && walkId === undefined) questions.follow(request, question)
  }

  await loadOpen(desk)
  // While others run, one of them may look after what seems to be nobody's.
  if (!peers.othersRun()) await adoptRequests({ desk, peers, resume })

  const stopUpkeep = keepSpaceTidy({
    desk,
    historyMs,
    timedOut: (request) => {
      const message = `${request.details.to} did not answer in time.`
      const answer = questions.answerFor(request, { error: { code: codes.serverError, message } })
      return post({ ...answer, answers: request, stops: true })
    },
    saveReceived: () => cursors.saveMoved(here.values()),
  })

  /** The number of a joining, in the order of the space at all instances: that of an entry which nobody reads. */
  async function numberOf(id: string): Promise<number> {
    const envelope = { space: name, from: id, id: `joined-${randomUUID()}`, to: [], at: assent.clock.now(), digest: '' }
    const [end] = await store.append([{ envelope: { ...envelope, text: '{}', state: 'stopped' } }])
    return (end as Extract<Appended, { kind: 'added' }>).seq
  }

  /** Somebody is in the space from now on, here or at another instance. */
  function arrived(id: string, wasHere: boolean): void {
    withMember(id, (member) => {
      tools.forget(id)
      delivery.announce('join', member, wasHere ? 'joined again from elsewhere' : undefined)
      questions.welcome(member)
      arrivals.tell(id)
    })
  }

  /** Somebody joined at another instance: what arrived here is remembered, so that they get the rest there. */
  async function letGo(id: string): Promise<void> {
    const joined = here.get(id)
    if (joined === undefined) return
    here.delete(id)
    joined.connection.close(closeCodes.done, joinedAgain)
    await cursors.save(id, joined.receivedUpTo())
  }

  function membersHere(): Member[] {
    return [...new Set([...here.keys(), ...peers.here()])].flatMap((id) => members.get(id) ?? [])
  }

  return {
    name,
    members,
    join(member, connection, joining) {
      const { id } = member
      const before = here.get(id)
      const wasHere = desk.isHere(id)
      const joined = createJoined(member, connection, {
        acks: joining.acks,
        rate: rates.get(id) as Rate,
      })
      here.set(id, joined)
      const upTo = reader.position()
      before?.connection.close(closeCodes.done, joinedAgain)
      const payload = welcomePayload({ space: name, me: member, here: membersHere(), limits, historyMs })
      desk.tell(id, { kind: 'system', payload })
      events.tell({ kind: 'hub-joined', space: name, participants: here.size })
      inBackground(assent.record({ kind: 'hub-joined', who: member.identity, data: { space: name, participant: id } }))
      const saved = before === undefined ? undefined : cursors.save(id, before.receivedUpTo())
      desk.surely(async () => {
        await saved
        if (peers.id !== undefined) {
          joined.number ??= await numberOf(id)
          peers.joined(id)
        }
        await peers.whenLetGo(id)
        await catchUp({ space: name, store, cursors }, joined, joining.after, upTo)
      })
      arrived(id, wasHere)
      return {
        receive: (data) => takeMessage(joined, data),
        left(words) {
          if (!isClosed) inBackground(cursors.save(id, joined.receivedUpTo()))
          if (here.get(id) !== joined) return
          here.delete(id)
          peers.tellHere({ participant: id, words })
          if (!peers.isHere(id)) delivery.announce('leave', member, words)
          events.tell({ kind: 'hub-left', space: name, participants: here.size })
          if (isClosed) return
          const data = { space: name, participant: id, words }
          inBackground(assent.record({ kind: 'hub-left', who: member.identity, data }))
        },
      }
    },
    here: () => membersHere().map(({ id }) => id),
    waiting: () => {
      const all = [...requests.all()]
      return { open: all.length, held: all.filter(({ isHeld }) => isHeld).length }
    },
    async close() {
      isClosed = true
      stopUpkeep()
      reader.close()
      for (const request of requests.all()) request.givenUp.abort()
      for (const { connection } of here.values())
        connection.close(closeCodes.goingAway, 'The hub is going down. Join again in a moment.')
      await log.drained()
      await cursors.saveMoved(here.values())
      await peers.close()
    },
  }
}

const joinedAgain = 'You joined again from elsewhere.'
