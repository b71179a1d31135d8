import type { JsonObject } from '../../base/json.ts'

/** What an upstream lists that needs an account which the requester has not connected yet. */
export const connectTool = {
  name: 'connect',
  description: 'Asks the person to connect their account. The other tools are listed once they have.',
  inputSchema: { type: 'object', properties: {} },
} satisfies JsonObject & { name: string }
