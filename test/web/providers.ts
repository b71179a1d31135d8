import type { Provider } from '../../src/connection/provider.ts'

/** A provider of accounts that says yes to the code `good`. */
export function aProvider(over: Partial<Provider> = {}): Provider {
  return {
    name: 'notes',
    title: 'Notes',
    host: 'notes.example.com',
    scopes: ['notes.read'],
    sending: { header: 'Authorization' },
    by: {
      kind: 'consent',
      consent: {
        begin: async ({ state }) => ({ kind: 'begun', url: `https://notes.example.com/authorize?state=${state}` }),
        async complete({ scopes }, callback) {
          const code = callback.searchParams.get('code')
          if (code === 'good') {
            return { kind: 'granted', tokens: { credential: { kind: 'tokens', accessToken: 'planted-token' }, scopes } }
          }
          if (code === 'less') {
            return {
              kind: 'granted',
              tokens: { credential: { kind: 'tokens', accessToken: 'planted-token' }, scopes: [] },
            }
          }
          if (callback.searchParams.has('error')) return { kind: 'denied' }
          return { kind: 'failed', reason: 'down', message: 'Notes could not be reached.' }
        },
        refresh: async () => ({ kind: 'unavailable', reason: 'down' }),
        revoke: async () => true,
      },
    },
    ...over,
  }
}

export const keyProvider = aProvider({
  name: 'stripe',
  title: 'Stripe',
  scopes: [],
  by: { kind: 'key', fieldLabel: 'Stripe API key' },
})
