import { hash } from 'node:crypto'
import { createEvents, type Events } from '../../base/events.ts'
import { inBackground } from '../../base/under-way.ts'
import { codes } from '../../mcp/codes.ts'
import { createAgentTools } from '../approval/agent-tools.ts'
import { createHeldCalls } from '../approval/hold.ts'
import { createSpaceQuestions } from '../approval/questions.ts'
import type { AssentForHub } from '../needs.ts'
import { type HubLimits, type HubTimes, type Member, membersOf, type SpaceOptions } from '../options.ts'
import { capabilitiesOf } from '../routing/capabilities.ts'
import { createOpenRequests, keptDetails, requestFrom } from '../routing/open-requests.ts'
import { createRate } from '../routing/rate.ts'
import type { Router } from '../routing/receive.ts'
import type { Appended, NewEnvelope } from '../store.ts'
import { closeCodes, type SpaceSocket } from '../wire/connection.ts'
import { problemPayload, writeEnvelope } from '../wire/write.ts'
import type { HubNews, Posting, SpaceDesk } from './desk.ts'
import { createJoined, type Joined, type Joining } from './joined.ts'
import { createSpaceLog, type Failed } from './log.ts'
import { presencePayload, welcomePayload } from './presence.ts'
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
}

const weekMs = 7 * 86_400_000
const retryMs = 1_000
const mostOpenLoaded = 100_000

/** Opens a space, and continues what was held when the hub was last stopped or killed. */
export async function openSpace(parts: SpaceParts): Promise<Space> {
  const { name, options, assent, limits, times, events } = parts
  const { historyMs = weekMs } = options
  const members = membersOf(name, options)
  const capabilities = new Map([...members.values()].map((member) => [member.id, capabilitiesOf(member)]))
  const observers = [...members.keys()].filter((id) => capabilities.get(id)?.mayObserve)
  const store = assent.store.hub
  const log = createSpaceLog(store)
  const requests = createOpenRequests()
  const arrivals = createEvents<string>()
  const here = new Map<string, Joined>()
  const received = await store.received(name)
  let isClosed = false

  const desk: SpaceDesk = {
    name,
    members,
    assent,
    limits,
    times,
    requests,
    events,
    isHere: (id) => here.has(id),
    whenHere: (id, withinMs) =>
      new Promise((resolve) => {
        if (here.has(id)) {
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
      request.text = text
      request.details = details
      const handedTo = () => (here.get(details.to)?.acks === false ? details.to : undefined)
      await log.release({ space: name, from, id }, { text, open: keptDetails(details), handedTo }, (seq) => {
        request.isHeld = false
        deliver({ from, id, to: [details.to], text }, seq)
      })
    },
    async keepDetails(request, details) {
      await store.change({ space: name, from: request.from, id: request.id }, { open: keptDetails(details) })
      request.details = details
    },
    async stop(request) {
      requests.remove(request)
      await store.change({ space: name, from: request.from, id: request.id }, { state: 'stopped', open: null })
    },
    tell(id, writing) {
      const joined = here.get(id)
      joined?.send(writeEnvelope(assent.clock.now(), { ...writing, to: [id] }).text)
    },
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
    refuse(id, problem) {
      const { correlationId, code } = problem
      events.tell({ kind: 'hub-refused', space: name, code })
      desk.tell(id, { kind: 'system', ...(correlationId && { correlationId }), payload: problemPayload(problem) })
    },
  }

  function post(posting: Posting): Promise<Appended | Failed> {
    const { from, id, to, text, original = text, state = 'sent', opens, answers } = posting
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
    const plain = state === 'sent' ? to.filter((one) => here.get(one)?.acks === false) : []
    const appending = {
      envelope,
      ...(answers && { answers: { from: answers.from, id: answers.id } }),
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
    const { from, id, opens, answers, state = 'sent' } = posting
    if (end.kind !== 'added' && opens !== undefined && requests.byEnvelope(from, id) === opens) requests.remove(opens)
    if (end.kind === 'failed') {
      events.tell({ kind: 'hub-failed', space: name, error: end.error })
      desk.refuse(from, {
        code: 'unavailable',
        message: 'This cannot be kept right now. Send it again.',
        correlationId: id,
      })
      return
    }
    if (end.kind === 'known' && end.digest !== digest) {
      const message = 'You used this id for another envelope before. Each envelope has an id of its own.'
      desk.refuse(from, { code: 'id-used', message, correlationId: id })
      return
    }
    if (answers !== undefined) requests.remove(answers)
    here.get(from)?.acknowledge(id)
    if (end.kind === 'added' && state === 'sent') deliver(posting, end.seq)
  }

  function deliver({ from, to, text, data }: Pick<Posting, 'from' | 'id' | 'to' | 'text' | 'data'>, seq: number): void {
    const message = data ?? Buffer.from(text)
    let count = 0
    const give = (id: string, joined: Joined | undefined, isDirect: boolean) => {
      if (id === from || joined === undefined) return
      joined.deliver(message, seq, isDirect)
      count += 1
    }
    if (to.length === 0) for (const [id, joined] of here) give(id, joined, false)
    else {
      for (const id of new Set(to)) give(id, here.get(id), true)
      for (const id of observers) if (!to.includes(id)) give(id, here.get(id), false)
    }
    events.tell({ kind: 'hub-delivered', space: name, count })
  }

  const questions = createSpaceQuestions(desk)
  const tools = createAgentTools(desk)
  const held = createHeldCalls({ desk, tools, questions })
  const router: Router = { desk, tools, questions, held }
  const take = takeMessages({ router, capabilities, beat: (member) => announce('heartbeat', member) })

  for (const kept of await store.listOpen(name, mostOpenLoaded)) {
    const request = requestFrom(kept)
    requests.add(request)
    const { question } = request.details
    if (request.isHeld) held.start(request)
    else if (question !== undefined && request.details.walkId === undefined) questions.follow(request, question)
  }

  const stopUpkeep = keepSpaceTidy({
    desk,
    historyMs,
    timedOut: (request) => {
      const message = `${request.details.to} did not answer in time.`
      return post(questions.answerFor(request, { error: { code: codes.serverError, message } }))
    },
    saveReceived,
  })

  function saveReceived(): void {
    const moved = new Map<string, number>()
    for (const [id, joined] of here) {
      const seq = joined.receivedUpTo()
      if (seq <= (received.get(id) ?? 0)) continue
      moved.set(id, seq)
      received.set(id, seq)
    }
    if (moved.size > 0) inBackground(store.saveReceived(name, moved))
  }

  function announce(event: 'join' | 'leave' | 'heartbeat', member: Member, reason?: string): void {
    const payload = presencePayload(event, member, reason)
    const { text } = writeEnvelope(assent.clock.now(), { kind: 'presence', payload })
    for (const [id, joined] of here) if (id !== member.id) joined.send(text)
  }

  async function catchUp(joined: Joined, after: Joining['after']): Promise<void> {
    const { id } = joined.member
    const told = after && (await store.seqOf(name, after.from, after.id))
    let from = Math.max(received.get(id) ?? 0, told ?? 0)
    for (;;) {
      const page = await store.listFor(name, id, from, 200)
      for (const { text, seq } of page) joined.redeliver(Buffer.from(text), seq)
      from = page.at(-1)?.seq ?? from
      if (page.length < 200) break
    }
    joined.caughtUp(from)
  }

  return {
    name,
    members,
    join(member, connection, joining) {
      const before = here.get(member.id)
      const joined = createJoined(member, connection, {
        acks: joining.acks,
        rate: createRate(limits.envelopesPerSecond, limits.burst),
      })
      here.set(member.id, joined)
      tools.forget(member.id)
      before?.connection.close(closeCodes.done, 'You joined again from elsewhere.')
      const now = [...here.values()].map((one) => one.member)
      const payload = welcomePayload({ space: name, me: member, here: now, limits, historyMs })
      desk.tell(member.id, { kind: 'system', payload })
      announce('join', member, before && 'joined again from elsewhere')
      events.tell({ kind: 'hub-joined', space: name, participants: here.size })
      inBackground(
        assent.record({ kind: 'hub-joined', who: member.identity, data: { space: name, participant: member.id } }),
      )
      desk.surely(() => catchUp(joined, joining.after))
      questions.welcome(member)
      arrivals.tell(member.id)
      return {
        receive: (data) => take(joined, data),
        left(words) {
          const seq = joined.receivedUpTo()
          if (seq > (received.get(member.id) ?? 0)) {
            received.set(member.id, seq)
            if (!isClosed) inBackground(store.saveReceived(name, new Map([[member.id, seq]])))
          }
          if (here.get(member.id) !== joined) return
          here.delete(member.id)
          announce('leave', member, words)
          events.tell({ kind: 'hub-left', space: name, participants: here.size })
          if (isClosed) return
          const data = { space: name, participant: member.id, words }
          inBackground(assent.record({ kind: 'hub-left', who: member.identity, data }))
        },
      }
    },
    here: () => [...here.keys()],
    waiting: () => {
      const all = [...requests.all()]
      return { open: all.length, held: all.filter(({ isHeld }) => isHeld).length }
    },
    async close() {
      isClosed = true
      stopUpkeep()
      saveReceived()
      for (const request of requests.all()) request.givenUp.abort()
      for (const { connection } of here.values())
        connection.close(closeCodes.goingAway, 'The hub is going down. Join again in a moment.')
      await log.drained()
    },
  }
}
