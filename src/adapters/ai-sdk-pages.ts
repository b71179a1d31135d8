import { isPlainObject } from '../base/json.ts'

/**
 * Makes a transport of `@ai-sdk/mcp` pass questions for pages on to the handler of `onElicitationRequest`. That package
 * refuses a question without a form, so such questions get an empty one. Before the client is made.
 */
export function withAiSdkPages<Transport extends object>(transport: Transport): Transport {
  type Listener = (message: unknown, ...more: unknown[]) => void
  let listener: Listener | undefined
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => listener,
    set(given: Listener | undefined) {
      listener = given && ((message, ...more) => given(withForm(message), ...more))
    },
  })
  return transport
}

function withForm(message: unknown): unknown {
  if (!isPlainObject(message) || message.method !== 'elicitation/create') return message
  const { params } = message
  if (!isPlainObject(params) || params.mode !== 'url') return message
  return { ...message, params: { requestedSchema: {}, ...params } }
}
