import { setTimeout as sleep } from 'node:timers/promises'
import { type Client2025, openClient2025 } from '../client/client-2025.ts'
import { meta2026, muteMeta2026 } from '../client/client-messages.ts'
import { type Answer, jsonHeaders, keepAliveAgent, NoAnswer, type Reply, replyIn, send } from '../client/send.ts'
import type { Random } from '../random.ts'
import type { Inbox } from './inbox.ts'

/** What becomes of one call: who makes it, who answers, and what. */
export interface Plan {
  readonly id: string
  readonly server: string
  readonly tool: 'run' | 'careful' | 'form'
  readonly client: '2025' | '2026' | 'mute'
  /** Who answers: the person at the client, or somebody in the inbox. */
  readonly by: 'client' | 'inbox'
  readonly yes: boolean
  /** The client sends its answer twice, to two instances at once. */
  readonly twice: boolean
  readonly thinkingMs: number
  readonly ms: number
}

/** What the callers share. */
export interface Stage {
  readonly gateway: URL
  readonly inbox: Inbox
  /** Calls to which somebody said yes, before they said it. */
  readonly allowed: Set<string>
  /** Whether this call ran, as far as its upstream knows. */
  hasRun(id: string): boolean
}

const servers = ['good', 'fresh', 'old', 'new'] as const
const asks2025 = (server: string) => server === 'good' || server === 'old'

export function planned(id: string, random: Random): Plan {
  const tool = random.pick(['run', 'careful', 'careful', 'form'] as const)
  const client = random.pick(['2025', '2026', 'mute'] as const)
  // A client that cannot be asked cannot fill in a form, and what it is not asked waits in the inbox.
  const isMute = client === 'mute'
  return {
    id,
    server: random.pick(servers),
    tool: isMute && tool === 'form' ? 'careful' : tool,
    client,
    by: isMute || (tool === 'careful' && random.oneIn(3)) ? 'inbox' : 'client',
    yes: !random.oneIn(4),
    twice: random.oneIn(3),
    thinkingMs: random.below(1_500),
    ms: random.below(200),
  }
}

/** The end of a call that its client can rely on. */
export type End = 'ran' | 'ran, reply lost' | 'refused' | 'told that it may have run' | 'told that it is gone' | 'lost'

const mostTries = 40
const againMs = 300

/** One client that makes one call after the other, whatever breaks meanwhile. */
export function createCaller(stage: Stage) {
  const agent = keepAliveAgent()
  const sessions = new Map<string, Client2025>()
  const addressOf = (server: string) => new URL(`/mcp/${server}`, stage.gateway)
  const say = ({ id, yes }: Plan) => {
    if (yes) stage.allowed.add(id)
    return yes
  }
  const paramsOf = ({ tool, id, ms }: Plan) => ({ name: tool, arguments: { id, ms } })

  function send2026({ server, tool, client }: Plan, params: object): Promise<Answer> {
    const _meta = client === 'mute' ? muteMeta2026 : meta2026
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }
    const headers = {
      ...jsonHeaders,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': tool,
    }
    return send(agent, addressOf(server), { headers, body: JSON.stringify(body) })
  }

  /** Answers the questions of a reply: once, or twice at the same time. */
  async function answer2026(plan: Plan, { result }: Reply): Promise<Reply | undefined> {
    const content = plan.tool === 'form' ? { word: 'blue' } : { choice: 'allow_once' }
    const answer = say(plan) ? { action: 'accept', content } : { action: 'decline' }
    const keys = Object.keys(result?.inputRequests ?? {})
    const inputResponses = Object.fromEntries(keys.map((key) => [key, answer]))
    const params = { ...paramsOf(plan), requestState: result?.requestState, inputResponses }
    const once = () => reached(() => send2026(plan, params))
    // A policy that allows a call allows it each time, so what a 2026 upstream asks is answered once.
    const replies = await Promise.all(plan.twice && plan.tool === 'careful' ? [once(), once()] : [once()])
    return replies.find((reply) => hasRun(plan, reply)) ?? replies.find((reply) => reply !== undefined)
  }

  async function play2026(plan: Plan): Promise<End> {
    const fresh = () => reached(() => send2026(plan, paramsOf(plan)))
    let open: Reply | undefined
    let mayBeSent = false
    let wasLost = false
    let reply = await fresh()
    for (let tries = 0; tries < mostTries; tries++) {
      if (hasRun(plan, reply)) return 'ran'
      if (reply === undefined) wasLost = true
      const outcome = reply?.result?._meta?.['assent/outcome']
      if (reply?.result?.resultType === 'input_required') {
        open = reply
        if (plan.by === 'inbox') {
          await stage.inbox.answer(plan.id, say(plan))
          reply = await reached(() =>
            send2026(plan, { ...paramsOf(plan), requestState: open?.result?.requestState, inputResponses: {} }),
          )
        } else {
          await sleep(plan.thinkingMs)
          mayBeSent = true
          reply = await answer2026(plan, open)
        }
        continue
      }
      if (outcome?.status === 'pending') {
        await stage.inbox.answer(plan.id, say(plan))
        // Only a yes is kept for the same call made again.
        if (!plan.yes) return 'refused'
        mayBeSent = true
        reply = await fresh()
        continue
      }
      const end = endOf(plan, reply, { wasLost })
      if (end !== undefined) return end
      // After such a reply too nobody knows how far the call came, such as when the store could not be reached.
      if (mayBeSent) wasLost = true
      await sleep(againMs)
      if (stage.hasRun(plan.id)) return 'ran, reply lost'
      if (plan.tool !== 'careful' && (wasLost || mayBeSent) && !(open && asks2025(plan.server))) return 'lost'
      reply = open === undefined || plan.client === 'mute' ? await fresh() : await answer2026(plan, open)
    }
    throw new Error(`${plan.id} came to no end: ${JSON.stringify({ plan, reply })}`)
  }

  async function sessionOf(server: string): Promise<Client2025> {
    for (let tries = 0; tries < mostTries; tries++) {
      const open = sessions.get(server) ?? (await openClient2025(agent, addressOf(server)).catch(unlessSilent))
      if (open?.session !== undefined) {
        sessions.set(server, open)
        return open
      }
      await sleep(againMs)
    }
    throw new Error(`No session could be opened at ${server}.`)
  }

  async function play2025(plan: Plan): Promise<End> {
    let mayBeSent = plan.tool === 'run'
    let wasLost = false
    let reply: Reply | undefined
    for (let tries = 0; tries < mostTries; tries++) {
      const session = await sessionOf(plan.server)
      const answered = async () => {
        if (plan.by === 'inbox') return void stage.inbox.answer(plan.id, say(plan)).catch(() => {})
        await sleep(plan.thinkingMs)
        mayBeSent = true
        const content = plan.tool === 'form' ? { word: 'blue' } : { choice: 'allow_once' }
        return say(plan) ? { action: 'accept', content } : { action: 'decline' }
      }
      reply = await reached(async () => {
        const answer = await session.call(paramsOf(plan), answered)
        if (answer.status === 404) sessions.delete(plan.server)
        return answer
      })
      if (hasRun(plan, reply)) return 'ran'
      if (reply === undefined) wasLost = true
      if (reply?.result?._meta?.['assent/outcome']?.status === 'pending') {
        await stage.inbox.answer(plan.id, say(plan))
        if (!plan.yes) return 'refused'
        continue
      }
      const end = endOf(plan, reply, { wasLost })
      if (end !== undefined) return end
      await sleep(againMs)
      if (stage.hasRun(plan.id)) return 'ran, reply lost'
      if (plan.tool !== 'careful' && mayBeSent && wasLost) return 'lost'
    }
    throw new Error(`${plan.id} came to no end: ${JSON.stringify({ plan, reply })}`)
  }

  return {
    play: (plan: Plan): Promise<End> => (plan.client === '2025' ? play2025(plan) : play2026(plan)),
    close: () => agent.destroy(),
  }
}

const hasRun = ({ id }: Plan, reply: Reply | undefined) => reply?.result?.content?.[0]?.text === `ran ${id}`

/** The JSON-RPC reply. Undefined: the connection broke, or the gateway could not serve it. */
async function reached(sending: () => Promise<Answer>): Promise<Reply | undefined> {
  const answer = await sending().catch(unlessSilent)
  if (answer === undefined || answer.status >= 400) return undefined
  const reply = replyIn(answer)
  if (reply === undefined) throw new NoAnswer(`HTTP ${answer.status} without an answer: ${answer.text.slice(0, 300)}`)
  return reply
}

/** A connection may break, but nothing may stay silent. */
function unlessSilent(error: unknown): undefined {
  if (error instanceof NoAnswer) throw error
  return undefined
}

interface Known {
  /** Some answer of the gateway did not reach the client, or did not say what became of the call. */
  readonly wasLost: boolean
}

/** What a reply that is no success means. Undefined: the call can be made again. */
function endOf(plan: Plan, reply: Reply | undefined, known: Known): End | undefined {
  if (reply === undefined) return undefined
  const text = reply.result?.content?.[0]?.text ?? reply.error?.message ?? ''
  const { status = '', reason = '' } = reply.result?._meta?.['assent/outcome'] ?? {}
  if (!plan.yes && (status === 'declined' || status === 'denied' || /^nothing ran/.test(text))) return 'refused'
  if (/Nobody knows whether the call ran/.test(text)) return 'told that it may have run'
  // Only a client that got no plain answer to its yes may be told so.
  if (status === 'already-run' && known.wasLost) return 'told that it may have run'
  if (reason === 'parked-call-gone') return 'told that it is gone'
  return undefined
}
