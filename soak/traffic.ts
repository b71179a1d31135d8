import { type Client2025, openClient2025 } from './client/client-2025.ts'
import { type Answer, keepAliveAgent, NoAnswer, type Reply, replyIn } from './client/send.ts'
import type { Random } from './random.ts'
import { call2026 } from './upstream-side.ts'

/** A call of a 2026 client with an open question, and what the client needs to continue it. */
export interface OpenCall {
  readonly id: string
  readonly at: URL
  readonly params: CallParams
  readonly reply: Reply
  /** A yes may have been sent already. */
  readonly mayBeAnswered: boolean
}

export interface CallParams {
  readonly name: 'run' | 'careful' | 'form'
  readonly arguments: { readonly id: string; readonly ms: number }
}

/** How the calls ended for their clients. */
export interface TrafficReport {
  readonly calls: number
  /** Calls that were reported as run. */
  readonly ran: ReadonlySet<string>
  readonly open: ReadonlyMap<string, OpenCall>
  /** Approvals of 2025 clients that lost their connection before they answered. */
  readonly unanswered: ReadonlySet<string>
  readonly ends: ReadonlyMap<string, number>
}

/** Clients of both eras that call tools, approve calls and fill in forms. */
export interface Traffic extends TrafficReport {
  /** Connects to a gateway that was just started. */
  connect(): Promise<void>
  /** Makes one more call. Rejects if it gets no answer, or if a running gateway closes the connection. */
  callOne(): Promise<void>
  /** Continues some of the open calls. */
  continueSome(): Promise<void>[]
  /** From here until the next `connect`, connections may break. */
  expectKill(): void
  close(): void
}

const servers = ['good', 'fresh'] as const
const yes = { action: 'accept', content: { choice: 'allow_once' } }
const word = { action: 'accept', content: { word: 'blue' } }
const answerTo = ({ name }: CallParams) => (name === 'form' ? word : yes)

/** Continues a call with an open question, with an answer of the client unless it was answered elsewhere. */
export function continueCall(
  agent: ReturnType<typeof keepAliveAgent>,
  open: OpenCall,
  withAnswer: boolean,
): Promise<Answer> {
  const { requestState, inputRequests = {} } = open.reply.result ?? {}
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answerTo(open.params)]))
  return call2026(agent, open.at, { ...open.params, requestState, ...(withAnswer && { inputResponses }) })
}

export function createTraffic(gateway: URL, random: Random): Traffic {
  const open = new Map<string, OpenCall>()
  const ran = new Set<string>()
  const unanswered = new Set<string>()
  const ends = new Map<string, number>()
  const sessions = new Map<string, Client2025>()
  let calls = 0
  let isKilled = false
  let agent = keepAliveAgent()
  const addressOf = (server: string) => new URL(`/mcp/${server}`, gateway)

  async function recordEnd(at: URL, params: CallParams, answering: Promise<Answer>): Promise<void> {
    const end = await answering.then(
      (answer) => endOf(at, params, answer),
      (error) => {
        // Only a killed gateway may close the connection of a call.
        if (error instanceof NoAnswer || !isKilled) throw error
        return 'connection lost'
      },
    )
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }

  function endOf(at: URL, params: CallParams, answer: Answer): string {
    const { id } = params.arguments
    if (answer.status === 404) return 'no session'
    const reply = replyIn(answer)
    // The response ended normally, so a running gateway sent it without an answer.
    if (reply === undefined) throw new NoAnswer(`${id} got HTTP ${answer.status} without an answer`)
    unanswered.delete(id)
    if (reply.result?.resultType === 'input_required') {
      open.set(id, { id, at, params, reply, mayBeAnswered: open.get(id)?.mayBeAnswered ?? false })
      return params.name === 'form' ? 'asked by form' : 'asked'
    }
    open.delete(id)
    if (reply.error !== undefined) return 'error'
    if (reply.result?.isError === true) return 'failed'
    ran.add(id)
    return 'ran'
  }

  return {
    ran,
    open,
    unanswered,
    ends,
    get calls() {
      return calls
    },
    async connect() {
      agent.destroy()
      agent = keepAliveAgent()
      isKilled = false
      for (const server of servers) sessions.set(server, await openClient2025(agent, addressOf(server)))
    },
    callOne() {
      calls += 1
      const server = random.pick(servers)
      const at = addressOf(server)
      const id = `call-${calls}`
      const params: CallParams = {
        name: random.pick(['run', 'run', 'careful', 'form'] as const),
        arguments: { id, ms: random.below(120) },
      }
      if (!random.oneIn(3)) return recordEnd(at, params, call2026(agent, at, { ...params }))
      const thinkingMs = random.below(300)
      const answers = async () => {
        if (params.name === 'careful') unanswered.add(id)
        const connections = agent
        await new Promise((resolve) => setTimeout(resolve, thinkingMs))
        // An answer to a killed gateway does not count.
        if (!isKilled && agent === connections) unanswered.delete(id)
        return answerTo(params)
      }
      return recordEnd(at, params, (sessions.get(server) as Client2025).call(params, answers))
    },
    continueSome() {
      const tried = [...open.values()].slice(0, random.below(5))
      return tried.flatMap((one) => {
        const again = () => recordEnd(one.at, one.params, continueCall(agent, one, true))
        if (one.params.name === 'form') {
          // A call that policy allows runs each time it is sent, so it is sent once.
          open.delete(one.id)
          return [again()]
        }
        open.set(one.id, { ...one, mayBeAnswered: true })
        // The same yes sent twice: only one of them may run the call.
        return [again(), again()]
      })
    },
    expectKill() {
      isKilled = true
    },
    close: () => agent.destroy(),
  }
}
