import { expect, test } from 'vitest'
import { createRegistrations } from '../../src/connection/registration/registrations.ts'
import { serverTag, serverTagIn } from '../../src/connection/registration/server-tag.ts'
import { anAssent } from '../support/assents.ts'

const issuer = 'https://login.example.com'
const resource = 'https://notes.example.com/mcp'
const client = { clientId: 'one', redirectUri: 'https://assent.example.com/oauth/callback' }

test('the client that was kept first is used by all, with its secret, until it is forgotten', async () => {
  const assent = await anAssent()
  const { store, vault, clock } = assent
  const recorded: string[] = []
  const audit = { record: async ({ kind }: { kind: string }) => void recorded.push(kind) }
  const registrations = createRegistrations({ store: store.registrations, vault, audit, clock })
  const expiresAt = new Date('2030-01-01T00:00:00Z')
  const first = { ...client, authentication: 'client_secret_basic', clientSecret: 'hidden', expiresAt } as const
  expect(await registrations.keep(issuer, resource, first)).toEqual(first)
  expect(await registrations.keep(issuer, resource, { ...client, clientId: 'two', authentication: 'none' })).toEqual(
    first,
  )
  expect(await registrations.get(issuer, resource)).toEqual(first)
  expect(JSON.stringify(await store.registrations.get(issuer, resource))).not.toContain('hidden')

  await registrations.forget(issuer, resource, 'two')
  expect(await registrations.get(issuer, resource)).toEqual(first)
  await registrations.forget(issuer, resource, 'one')
  expect(await registrations.get(issuer, resource)).toBeUndefined()
  const other = { ...client, clientId: 'two', authentication: 'none' } as const
  expect(await registrations.keep(issuer, resource, other)).toEqual(other)
  expect(await registrations.get(issuer, resource)).toEqual(other)
  expect(recorded).toEqual(['client-registered', 'client-forgotten', 'client-registered'])
})

test('a callback names its server at its end, and another address names none', () => {
  const tag = serverTag(issuer)
  expect(serverTagIn(new URL(`https://assent.example.com/below/oauth/callback/${tag}`))).toBe(tag)
  expect(serverTagIn(new URL('https://assent.example.com/oauth/callback'))).toBeUndefined()
  expect(serverTag('https://other.example.com')).not.toBe(tag)
})
