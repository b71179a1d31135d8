import type { Client } from '@modelcontextprotocol/client'
import { trackCapability } from '../../mcp/names.ts'
import { type ClientLeg, type LegOptions, noTimeout } from './leg.ts'

/** Takes anything: results are read by whoever asked for them. */
const anything = {
  '~standard': {
    version: 1,
    vendor: 'assent',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
} as const

type Params = Record<string, unknown>

/** A `Client` of `@modelcontextprotocol/client`. */
export function legOf(client: Client): ClientLeg {
  return {
    onElicit(answer) {
      client.registerCapabilities({ elicitation: { form: {}, url: {} } })
      client.setRequestHandler(
        'elicitation/create',
        async ({ params }, ctx) => (await answer(params, ctx.mcpReq.signal)) as never,
      )
    },
    onComplete(heard) {
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => heard(params.elicitationId))
    },
    request(method, params, options) {
      switch (method) {
        case 'tools/call':
          return callTool(client, params, options)
        case 'prompts/get':
        case 'resources/read':
          return client.request({ method, params } as never, sdkOptions(options) as never) as Promise<Params>
        default:
          return client.request({ method, params }, anything as never, sdkOptions(options) as never) as Promise<Params>
      }
    },
    canTrack: () => client.getServerCapabilities()?.experimental?.[trackCapability] !== undefined,
  }
}

const sdkOptions = ({ signal, onProgress }: LegOptions) => ({
  allowInputRequired: true,
  timeout: noTimeout,
  signal,
  ...(onProgress && { onprogress: onProgress }),
})

/**
 * The SDK's `callTool` sends a tool's arguments as the headers its definition wants (H26-05) and checks its output. It
 * also takes a result that asks for input for output that does not fit; so it is not shown such a result.
 */
async function callTool(client: Client, params: Params, options: LegOptions): Promise<Params> {
  let asked: Params | undefined
  const request = async (message: { method: string }, ...rest: never[]): Promise<Params> => {
    const result = (await client.request(message as never, ...rest)) as Params
    if (result.resultType !== 'input_required') return result
    asked = result
    return { content: [], isError: true }
  }
  const calling: Client = Object.create(client, { request: { value: request } })
  const result = await calling.callTool(params as never, sdkOptions(options) as never)
  return asked ?? result
}
