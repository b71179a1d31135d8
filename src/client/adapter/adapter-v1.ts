import * as z from 'zod'
import { trackCapability } from '../../mcp/meta-keys.ts'
import { type ClientAdapter, noTimeout } from './adapter.ts'

/** What elicitation needs of a `Client` of `@modelcontextprotocol/sdk`. */
export interface ClientV1 {
  // Typed structurally, so that the SDK is not a dependency. The tests show that a real client fits.
  registerCapabilities(capabilities: never): void
  setRequestHandler(schema: never, handler: never): void
  setNotificationHandler(schema: never, handler: never): void
  request(request: { method: string; params?: never }, schema: never, options?: never): Promise<unknown>
  getServerCapabilities(): { experimental?: Record<string, unknown> | undefined } | undefined
}

const anything = z.looseObject({})
const elicitRequest = z.looseObject({ method: z.literal('elicitation/create'), params: z.unknown() })
const completeNotification = z.looseObject({
  method: z.literal('notifications/elicitation/complete'),
  params: z.looseObject({ elicitationId: z.unknown() }),
})

/** The adapter for a client of SDK v1, which supports 2025 revisions only. */
export function adapterForV1(client: ClientV1): ClientAdapter {
  return {
    onElicit(answer) {
      client.registerCapabilities({ elicitation: { form: {}, url: {} } } as never)
      const handler = ({ params }: z.infer<typeof elicitRequest>, { signal }: { signal: AbortSignal }) =>
        answer(params, signal)
      client.setRequestHandler(elicitRequest as never, handler as never)
    },
    onComplete(listener) {
      const handler = ({ params }: z.infer<typeof completeNotification>) => listener(params.elicitationId)
      client.setNotificationHandler(completeNotification as never, handler as never)
    },
    async request(method, params, { signal, onProgress }) {
      const options = { timeout: noTimeout, signal, ...(onProgress && { onprogress: onProgress }) }
      const request = { method, params: params as never }
      return (await client.request(request, anything as never, options as never)) as Record<string, unknown>
    },
    canTrack: () => client.getServerCapabilities()?.experimental?.[trackCapability] !== undefined,
  }
}
