import { z } from 'zod'
import { trackCapability } from '../../mcp/names.ts'
import { type ClientLeg, noTimeout } from './leg.ts'

/** A `Client` of `@modelcontextprotocol/sdk`, as far as asking needs it. */
export interface ClientV1 {
  // The SDK's own types say more; what is given here fits them, as the tests show.
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

/** The leg of a client that speaks 2025 only. */
export function legOfV1(client: ClientV1): ClientLeg {
  return {
    onElicit(answer) {
      client.registerCapabilities({ elicitation: { form: {}, url: {} } } as never)
      const handler = ({ params }: z.infer<typeof elicitRequest>, { signal }: { signal: AbortSignal }) =>
        answer(params, signal)
      client.setRequestHandler(elicitRequest as never, handler as never)
    },
    onComplete(heard) {
      const handler = ({ params }: z.infer<typeof completeNotification>) => heard(params.elicitationId)
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
