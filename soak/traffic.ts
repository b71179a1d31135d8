import { type OldClient, openOld } from './old-client.ts'
import type { Random } from './random.ts'
import { type Answer, keptConnections, type Reply, replyIn, Silence } from './send.ts'
import { callNew } from './upstream-side.ts'

/** A call of a client of 2026 that was asked about: what its client needs to go on with it. */
export interface OpenCall {
  readonly id: string
  readonly at: URL
  readonly params: CallParams
  readonly reply: Reply
  /** Somebody may have said yes to it already. */
  readonly isTried: boolean
}

export interface CallParams {
  readonly name: 'run' | 'careful' | 'form'
  readonly arguments: { readonly id: string; readonly ms: number }
}

/** What the clients were told. */
export interface TrafficReport {
  readonly calls: number
  /** Calls whose client was told that they ran. */
  readonly ran: ReadonlySet<string>
  readonly open: ReadonlyMap<string, OpenCall>
  /** Approvals that clients of 2025 were asked for, and lost the connection before they answered. */
  readonly unanswered: ReadonlySet<string>
  readonly ends: ReadonlyMap<string, number>
}

/** Clients of both eras, who run things, approve things and fill in forms. */
export interface Traffic extends TrafficReport {
  /** To a gateway that was just started. */
  connect(): Promise<void>
  /** One call more. Rejects when its client hears nothing, or when a gateway that lives hangs up. */
  callOne(): Promise<void>
  /** Goes on with some of the calls that are open. */
  goOnWithSome(): Promise<void>[]
  /** From here on, until they connect again, a connection that breaks is what clients have to expect. */
  gatewayIsKilled(): void
  close(): void
}

const servers = ['good', 'fresh'] as const
const yes = { action: 'accept', content: { choice: 'allow_once' } }
const word = { action: 'accept', content: { word: 'blue' } }
const answerTo = ({ name }: CallParams) => (name === 'form' ? word : yes)

/** The client goes on with a call that was asked about; with an answer of its own, unless somebody gave it elsewhere. */
export function goOn(agent: ReturnType<typeof keptConnections>, open: OpenCall, withAnswer: boolean): Promise<Answer> {
  const { requestState, inputRequests = {} } = open.reply.result ?? {}
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answerTo(open.params)]))
  return callNew(agent, open.at, { ...open.params, requestState, ...(withAnswer && { inputResponses }) })
}

export function createTraffic(gateway: URL, random: Random): Traffic {
  const open = new Map<string, OpenCall>()
  const ran = new Set<string>()
  const unanswered = new Set<string>()
  const ends = new Map<string, number>()
  const sessions = new Map<string, OldClient>()
  let calls = 0
  let isKilled = false
  let agent = keptConnections()
  const addressOf = (server: string) => new URL(`/mcp/${server}`, gateway)

  async function heard(at: URL, params: CallParams, answering: Promise<Answer>): Promise<void> {
    const end = await answering.then(
      (answer) => judge(at, params, answer),
      (error) => {
        // Only a killed gateway may hang up on a call.
        if (error instanceof Silence || !isKilled) throw error
        return 'connection lost'
      },
    )
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }

  function judge(at: URL, params: CallParams, answer: Answer): string {
    const { id } = params.arguments
    if (answer.status === 404) return 'no session'
    const reply = replyIn(answer)
    // A connection that is cut off is none that ends: whoever ended this lived, and said nothing.
    if (reply === undefined) throw new Silence(`${id} was ended by HTTP ${answer.status} without an answer`)
    unanswered.delete(id)
    if (reply.result?.resultType === 'input_required') {
      open.set(id, { id, at, params, reply, isTried: open.get(id)?.isTried ?? false })
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
      agent = keptConnections()
      isKilled = false
      for (const server of servers) sessions.set(server, await openOld(agent, addressOf(server)))
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
      if (!random.oneIn(3)) return heard(at, params, callNew(agent, at, { ...params }))
      const thinkingMs = random.below(300)
      const answers = async () => {
        if (params.name === 'careful') unanswered.add(id)
        const connections = agent
        await new Promise((resolve) => setTimeout(resolve, thinkingMs))
        // What is said to one that is gone is no answer.
        if (!isKilled && agent === connections) unanswered.delete(id)
        return answerTo(params)
      }
      return heard(at, params, (sessions.get(server) as OldClient).call(params, answers))
    },
    goOnWithSome() {
      const tried = [...open.values()].slice(0, random.below(5))
      return tried.flatMap((one) => {
        const again = () => heard(one.at, one.params, goOn(agent, one, true))
        if (one.params.name === 'form') {
          // What policy allows may run each time that a client sends it, so this client sends it once.
          open.delete(one.id)
          return [again()]
        }
        open.set(one.id, { ...one, isTried: true })
        // The same yes from two copies of the client: it is good for one.
        return [again(), again()]
      })
    },
    gatewayIsKilled() {
      isKilled = true
    },
    close: () => agent.destroy(),
  }
}
