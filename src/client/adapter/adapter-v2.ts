import type { Client } from '@modelcontextprotocol/client'
import { trackCapability } from '../../mcp/meta-keys.ts'
import { type AdapterRequestOptions, type ClientAdapter, noTimeout } from './adapter.ts'

/** Accepts any result: the caller validates it. */
const anything = {
  '~standard': {
    version: 1,
    vendor: 'assent',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
} as const

type Params = Record<string, unknown>

/** The adapter for a `Client` of `@modelcontextprotocol/client`. */
export function adapterForV2(client: Client): ClientAdapter {
  return {
    onElicit(answer) {
      client.registerCapabilities({ elicitation: { form: {}, url: {} } })
      client.setRequestHandler(
        'elicitation/create',
        async ({ params }, ctx) => (await answer(params, ctx.mcpReq.signal)) as never,
      )
    },
    onComplete(listener) {
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
        listener(params.elicitationId),
      )
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

const sdkOptions = ({ signal, onProgress }: AdapterRequestOptions) => ({
  allowInputRequired: true,
  timeout: noTimeout,
  signal,
  ...(onProgress && { onprogress: onProgress }),
})

/**
 * Uses the SDK's `callTool`, because it repeats arguments in the headers that the tool's definition requires (H26-05)
 * and validates the output. It would reject a result that asks for input as invalid output, so such a result is hidden
 * from it.
 */
async function callTool(client: Client, params: Params, options: AdapterRequestOptions): Promise<Params> {
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
