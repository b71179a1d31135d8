import { every } from '../../base/repeat.ts'
import { inBackground } from '../../base/under-way.ts'
import { heartbeatMs } from '../../instance/instance.ts'
import type { Post, Word } from '../../instance/post.ts'

/** The other instances that serve a space, and who joined it there. */
export interface Peers {
  /** The id of this instance; undefined if nobody shares its store. */
  readonly id: string | undefined
  /** No other instance is known to serve this space. */
  isAlone(): boolean
  /** Participants that are in the space at other instances. */
  here(): string[]
  isHere(participant: string): boolean
  /** Tells the others that somebody joined here, whose joining has its number now. */
  joined(participant: string): void
  /** Tells the others who is here, and with which words somebody left. */
  tellHere(left?: { readonly participant: string; readonly words: string }): void
  /** Somebody here says that they are alive. */
  beat(participant: string): void
  /** Resolves when the instance at which somebody was before has let go of them, or does not say so in time. */
  whenLetGo(participant: string): Promise<void>
  /** Sends a message to a participant who joined elsewhere. */
  send(participant: string, text: string): void
  /** Leaves word for one instance. */
  sendTo(instance: string, word: Word): void
  /** Tells the others that the log of the space has grown. */
  wake(): void
  /** Whether an instance can still look after its requests, as far as is known. */
  isRunning(instance: string): boolean
  /** Whether any other one runs, known to serve this space or not. */
  othersRun(): boolean
  /** Of all instances that serve the space, this one takes over what others leave behind. */
  isFirst(): boolean
  /** Tells the others that this instance serves the space no more. */
  close(): Promise<void>
}

export interface PeersParts {
  readonly space: string
  readonly post: Post | undefined
  after(ms: number, due: () => void): () => void
  /** Who joined here, with the numbers of their joining, which the store gives: of two joinings the later one holds. */
  mine(): ReadonlyMap<string, number>
  /** Whether somebody joined here, numbered or not. */
  isMine(participant: string): boolean
  onError(error: unknown): void
  /** Somebody joined at another instance, perhaps after being here or elsewhere. */
  came(participant: string, wasHere: boolean): void
  gone(participant: string, words: string): void
  heartbeat(participant: string): void
  /** Somebody who joined here joined elsewhere later. The others are told when it resolves. */
  letGo(participant: string): Promise<void>
  /** The log of the space has grown. */
  grown(): void
  /** A message for somebody who joined here. */
  message(participant: string, text: string): void
  /** What only another part of the space understands. */
  word(word: Word): void
  /** Instances that looked after requests may be gone. */
  lookAround(): void
}

interface HereWord {
  readonly here: [participant: string, at: number][]
  readonly left: [participant: string, words: string][]
  readonly beats: string[]
  /** Who joined elsewhere, as the sender heard before: others may hear of that joining later. */
  readonly moved?: string[]
}

interface Peer {
  readonly joined: Map<string, number>
}

/** How long somebody who joins may wait until the instance where they were before says what they received. */
const handoverMs = 1_000

const kinds = { here: 'hub-here', closed: 'hub-closed', grown: 'hub-grown', message: 'hub-message' } as const

/** Word about the tools of an agent. */
export const toolsWord = 'hub-tools'

/** Exchanges word with the other instances that serve a space. What gets lost is made up for by the next heartbeat. */
export async function meetPeers(parts: PeersParts): Promise<Peers> {
  const { space, post, mine, isMine } = parts
  if (post === undefined) return noPeers
  const { id } = post
  const peers = new Map<string, Peer>()
  const waiting = new Set<(isLate?: boolean) => void>()
  const left = new Map<string, string>()
  const beats = new Set<string>()
  const moved = new Set<string>()
  /** They are somewhere, and where has not been heard yet. */
  const arriving = new Set<string>()
  let running = new Set(await post.others())
  let isTelling = false
  let isWaking = false
  let isClosed = false
  let queue: Promise<unknown> = Promise.resolve()

  /** One after the other, so that words arrive in the order in which they are said. */
  function inTurn(work: () => Promise<unknown>): Promise<unknown> {
    queue = queue.then(work).catch(parts.onError)
    return queue
  }

  function sendHere(): Promise<unknown> {
    isTelling = false
    const word: HereWord = { here: [...mine()], left: [...left], beats: [...beats], moved: [...moved] }
    left.clear()
    beats.clear()
    moved.clear()
    return (post as Post).sendAll({ kind: kinds.here, space, ...word })
  }

  function tellHere(): void {
    if (isTelling || isClosed) return
    isTelling = true
    inBackground(inTurn(sendHere))
  }

  const whereElse = (participant: string, except?: string) =>
    [...peers].find(([instance, { joined }]) => instance !== except && joined.has(participant))?.[0]

  function forget(instance: string, words: string): void {
    const peer = peers.get(instance)
    peers.delete(instance)
    for (const participant of peer?.joined.keys() ?? []) leave(participant, words)
  }

  /** Lets go of somebody who joined elsewhere later. */
  function yieldTo(participant: string): void {
    const own = mine().get(participant)
    const isLater = [...peers.values()].some(({ joined }) => (joined.get(participant) ?? 0) > (own ?? 0))
    if (own === undefined || !isLater) return
    moved.add(participant)
    inBackground(inTurn(() => parts.letGo(participant).then(sendHere)))
  }

  function leave(participant: string, words: string): void {
    if (!isSomewhere(participant)) parts.gone(participant, words)
    for (const look of waiting) look()
  }

  const isSomewhere = (participant: string) => isMine(participant) || whereElse(participant) !== undefined

  function hearHere(instance: string, { here, left: gone, beats: alive, moved: away = [] }: HereWord): void {
    const peer = peers.get(instance)
    if (peer === undefined) tellHere()
    running.add(instance)
    const before = peer?.joined ?? new Map<string, number>()
    const joined = new Map(here)
    const came = [...joined].filter(([participant, at]) => before.get(participant) !== at)
    const wasHere = new Set(came.flatMap(([one]) => (arriving.delete(one) || isSomewhere(one) ? [one] : [])))
    peers.set(instance, { joined })
    for (const [participant, at] of came) {
      if (at < (mine().get(participant) ?? 0)) continue
      yieldTo(participant)
      parts.came(participant, wasHere.has(participant))
    }
    const words = new Map(gone)
    for (const participant of before.keys()) {
      if (joined.has(participant)) continue
      if (away.includes(participant) && !isSomewhere(participant)) arriving.add(participant)
      else leave(participant, words.get(participant) ?? lost)
    }
    for (const participant of alive) if (joined.has(participant)) parts.heartbeat(participant)
    for (const look of waiting) look()
  }

  async function lookAround(): Promise<void> {
    const others = new Set(await (post as Post).others())
    running = others
    for (const instance of [...peers.keys()].filter((one) => !others.has(one))) {
      forget(instance, 'The instance that served this participant is gone.')
    }
    for (const participant of arriving) leave(participant, lost)
    arriving.clear()
    parts.lookAround()
  }

  const isOurs = (word: Word) => word.space === space
  const stops = [
    post.on(kinds.here, (word, from) => {
      if (isOurs(word)) hearHere(from, word as never)
    }),
    post.on(kinds.closed, (word, from) => {
      if (!isOurs(word)) return
      running.delete(from)
      forget(from, 'The hub is going down.')
      parts.lookAround()
    }),
    post.on(kinds.grown, (word) => {
      if (isOurs(word)) parts.grown()
    }),
    post.on(kinds.message, (word) => {
      if (isOurs(word)) parts.message(String(word.to), String(word.text))
    }),
    post.on(toolsWord, (word) => {
      if (isOurs(word)) parts.word(word)
    }),
  ]
  const stopBeating = every(
    heartbeatMs,
    async () => {
      tellHere()
      await lookAround()
    },
    parts.onError,
  )
  tellHere()

  return {
    id,
    isAlone: () => peers.size === 0,
    here: () => [...new Set([...peers.values()].flatMap(({ joined }) => [...joined.keys()]))],
    isHere: (participant) => whereElse(participant) !== undefined,
    joined(participant) {
      tellHere()
      yieldTo(participant)
    },
    tellHere(gone) {
      if (gone !== undefined) left.set(gone.participant, gone.words)
      tellHere()
    },
    beat: (participant) => void beats.add(participant),
    whenLetGo: (participant) =>
      new Promise((resolve) => {
        const look = (isLate = false) => {
          if (!isLate && whereElse(participant) !== undefined && isMine(participant)) return
          waiting.delete(look)
          callOff()
          resolve()
        }
        const callOff = parts.after(handoverMs, () => look(true))
        waiting.add(look)
        look()
      }),
    send(participant, text) {
      const instance = whereElse(participant)
      if (instance !== undefined) {
        inBackground(inTurn(() => post.send(instance, { kind: kinds.message, space, to: participant, text })))
      }
    },
    sendTo: (instance, word) => inBackground(inTurn(() => post.send(instance, word))),
    wake() {
      if (isWaking || peers.size === 0) return
      isWaking = true
      inBackground(
        inTurn(() => {
          isWaking = false
          return post.sendAll({ kind: kinds.grown, space })
        }),
      )
    },
    isRunning: (instance) => instance === id || running.has(instance),
    othersRun: () => running.size > 0,
    isFirst: () => [...peers.keys()].every((instance) => id < instance),
    async close() {
      isClosed = true
      for (const look of waiting) look(true)
      for (const stop of stops) stop()
      await stopBeating()
      await inTurn(() => post.sendAll({ kind: kinds.closed, space }))
    },
  }
}

const lost = 'The connection was lost.'
const nothing = () => {}

/** Where nobody shares the store. */
const noPeers: Peers = {
  id: undefined,
  isAlone: () => true,
  here: () => [],
  isHere: () => false,
  joined: nothing,
  tellHere: nothing,
  beat: nothing,
  whenLetGo: async () => {},
  send: nothing,
  sendTo: nothing,
  wake: nothing,
  isRunning: () => false,
  othersRun: () => false,
  isFirst: () => true,
  close: async () => {},
}
