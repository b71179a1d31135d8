import type { JsonObject } from '../../base/json.ts'

/** The only tool of a server whose account the requester has not connected yet. */
export const connectTool = {
  name: 'connect',
  description: 'Asks the person to connect their account. The other tools are listed once they have.',
  inputSchema: { type: 'object', properties: {} },
} satisfies JsonObject & { name: string }
