import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Assent } from '../../src/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { type Gated, gated, newServer } from '../support/gateway/gateways.ts'
import { readPolicy } from '../support/policies.ts'
import { local, say } from '../support/server/servers.ts'

const policies = {
  allow: { default: 'allow' },
  ask: { default: 'ask', fallback: 'inbox' },
  askOthers: { rules: [{ tool: '*', decide: 'ask', approvers: ['group:finance'] }], fallback: 'inbox' },
  deny: { default: 'deny' },
  watch: { mode: 'watch', default: 'deny' },
} as const
type PolicyName = keyof typeof policies

/** What somebody does between the requests of an agent. */
type Step =
  | { readonly do: 'pause' | 'resume' | 'connect' | 'disconnect' | 'revoke' }
  | { readonly do: 'use'; readonly policy: PolicyName }
  | { readonly do: 'call'; readonly tool: 'plain' | 'asks'; readonly server: 'open' | 'notes' }
  | { readonly do: 'retry'; readonly walk: number; readonly choice: 'allow_once' | 'always_allow' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('pause', 'resume', 'resume', 'connect', 'disconnect', 'revoke') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('use'),
      policy: fc.constantFrom('allow', 'ask', 'ask', 'askOthers', 'deny', 'watch'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('call'),
      tool: fc.constantFrom('plain', 'asks', 'asks'),
      server: fc.constantFrom('open', 'open', 'notes'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('retry'),
      walk: fc.nat(3),
      choice: fc.constantFrom('allow_once', 'allow_once', 'always_allow'),
    }),
  },
) as fc.Arbitrary<Step>

/** One call of the agent, as far as it got. */
interface Walk {
  readonly server: string
  readonly tool: string
  reply: RawReply
  /** A yes for one call was spent on it. */
  hasSpent: boolean
}

/** What may run, by the plainest reading of the rules. */
class Model {
  isPaused = false
  policy: PolicyName = 'allow'
  readonly lasting = new Set<string>()
  /** Yeses for one call of a tool that nobody used yet. */
  readonly unspent = new Map<string, number>()

  /** Why a request of this walk must not reach its upstream now; undefined: it may. */
  forbids(walk: Walk): string | undefined {
    if (this.isPaused) return 'everything is paused'
    if (this.policy === 'watch' || this.policy === 'allow') return undefined
    if (this.policy === 'deny') return 'policy denies it'
    if (this.policy === 'askOthers') return 'nobody of finance was asked'
    const name = `${walk.server}/${walk.tool}`
    if (walk.hasSpent || this.lasting.has(name)) return undefined
    const left = this.unspent.get(name) ?? 0
    if (left === 0) return 'nobody said yes'
    this.unspent.set(name, left - 1)
    walk.hasSpent = true
    return undefined
  }
}

interface World extends Gated {
  /** Called for each tools/call that reaches an upstream. */
  readonly arrived: { tell: (answered: boolean) => void }
}

/** One gateway for all runs. Each run has tools of its own, so no grant of another counts. */
async function aWorld(): Promise<World> {
  const arrived = { tell: (_answered: boolean) => {} }
  const url = await newServer((server) => {
    for (let run = 0; run < runs; run += 1) {
      server.registerTool(`plain-${run}`, {}, () => {
        arrived.tell(true)
        return say('done')
      })
      server.registerTool(`asks-${run}`, {}, ({ mcpReq }) => {
        const given = mcpReq.inputResponses?.branch
        arrived.tell(given !== undefined)
        if (given !== undefined) return say('done')
        const requestedSchema = { type: 'object', properties: { branch: { type: 'string' } } }
        const params = { mode: 'form', message: 'Which branch?', requestedSchema }
        const inputRequests = { branch: { method: 'elicitation/create', params } }
        return { resultType: 'input_required', inputRequests } as never
      })
    }
  })
  const providers = { notes: { apiKey: true, title: 'Notes', fieldLabel: 'Key', header: 'X-Key' } } as const
  const met = await gated(
    { open: { url }, notes: { url, provider: 'notes' } },
    {
      clocks: { hold: 20 },
      limits: { asksPerMinute: 100_000 },
      assentOptions: { providers, limits: { openPerRequester: 10_000 } } as never,
    },
  )
  return { ...met, arrived }
}

const runs = 60
let run = 0
let acted = 0
let refused = 0

test('a request that acts is sent only if pause, policy and grants allow it at that moment', async () => {
  const { url, assent, arrived } = await aWorld()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      run = (run + 1) % runs
      const model = new Model()
      const walks: Walk[] = []
      const trail: string[] = []
      await assent.approvals.resume(alice)
      await assent.approvals.usePolicy(readPolicy(policies.allow))
      for (const each of steps) {
        trail.push(JSON.stringify(each))
        if (each.do === 'call') {
          const walk: Walk = { server: each.server, tool: `${each.tool}-${run}`, reply: {}, hasSpent: false }
          walks.push(walk)
          await send(walk, {})
        } else if (each.do === 'retry') {
          const walk = walks.at(-1 - each.walk)
          if (walk?.reply.result?.resultType === 'input_required') await send(walk, answers(walk, each.choice))
        } else await happen(each, assent, model)
      }

      async function send(walk: Walk, inputResponses: Record<string, unknown>): Promise<void> {
        const wrong: string[] = []
        arrived.tell = (answered) => {
          const why = model.forbids(walk)
          if (why !== undefined) wrong.push(`It was sent although ${why}:\n${trail.join('\n')}`)
          if (answered) acted += 1
        }
        const requestState = walk.reply.result?.requestState
        walk.reply = await rawCall(url, { name: `${walk.server}__${walk.tool}`, inputResponses, requestState })
        if (walk.reply.result?.isError === true) refused += 1
        expect(wrong).toEqual([])
      }

      /** The answers of the person at the client, and what they mean in the model. */
      function answers(walk: Walk, choice: 'allow_once' | 'always_allow'): Record<string, unknown> {
        const asked = Object.entries(walk.reply.result?.inputRequests ?? {})
        return Object.fromEntries(
          asked.map(([key, { params }]) => {
            const schema = params.requestedSchema as {
              properties?: Record<string, { enum?: string[]; oneOf?: { const: string }[] }>
            }
            const field = schema?.properties?.choice
            if (params.mode === 'url') return [key, { action: 'accept' }]
            if (field === undefined) return [key, { action: 'accept', content: { branch: 'main' } }]
            const offered = field.enum ?? field.oneOf?.map((one) => one.const) ?? []
            const chosen = offered.find((one) => one.startsWith(choice)) ?? 'allow_once'
            const name = `${walk.server}/${walk.tool}`
            // That the answer is taken is not certain; the model errs on the side of a yes.
            if (chosen === 'allow_once') model.unspent.set(name, (model.unspent.get(name) ?? 0) + 1)
            else model.lasting.add(name)
            return [key, { action: 'accept', content: { choice: chosen } }]
          }),
        )
      }
    }),
    { numRuns: runs, seed: 20_261_116, endOnFailure: true },
  )
  // If nothing ever ran, or nothing was ever refused, this would show nothing.
  expect(acted).toBeGreaterThan(50)
  expect(refused).toBeGreaterThan(50)
})

async function happen(each: Exclude<Step, { do: 'call' | 'retry' }>, assent: Assent, model: Model): Promise<void> {
  const { approvals, connections } = assent
  switch (each.do) {
    case 'pause':
      model.isPaused = true
      return void (await approvals.pause(alice))
    case 'resume':
      model.isPaused = false
      return void (await approvals.resume(alice))
    case 'use':
      model.policy = each.policy
      return void (await approvals.usePolicy(readPolicy(policies[each.policy])))
    case 'connect':
      return void (await connections.keepKey({ provider: 'notes', person: { participant: local, groups: [] } }, 'key'))
    case 'disconnect':
      return void (await connections.disconnect(local, 'notes'))
    case 'revoke': {
      for (const { id } of await approvals.listAll(100))
        if (String(id) !== 'pause') await approvals.revoke(id, 'operator')
      model.lasting.clear()
    }
  }
}
