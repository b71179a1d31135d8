import { describe, expect, test } from 'vitest'
import { BadConfig } from '../../src/base/errors.ts'
import { createAssent } from '../../src/index.ts'
import { type ProviderSettings, providersFrom } from '../../src/oauth/providers.ts'
import { fakeKeyProvider } from '../../src/testing/fake-provider.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'

const clock = fixedClock()
const read = (settings: Record<string, unknown>) =>
  providersFrom(settings as Record<string, ProviderSettings>, { clock })

describe('providers from settings', () => {
  test('by issuer, by preset and by key', () => {
    const providers = read({
      notes: { issuer: 'https://notes.test', clientId: 'abc', clientSecret: 's', scopes: ['notes.read'] },
      github: { preset: 'github', clientId: 'abc', clientSecret: 's', env: 'GITHUB_TOKEN' },
      stripe: { apiKey: true, fieldLabel: 'Stripe key', placeholder: 'sk_…', header: 'X-Key' },
    })
    expect([...providers.keys()]).toEqual(['notes', 'github', 'stripe'])
    expect(providers.get('notes')).toMatchObject({
      name: 'notes',
      title: 'Notes',
      host: 'notes.test',
      scopes: ['notes.read'],
      sending: { header: 'Authorization' },
      by: { kind: 'consent' },
    })
    expect(providers.get('github')).toMatchObject({
      title: 'GitHub',
      host: 'github.com',
      scopes: [],
      sending: { header: 'Authorization', env: 'GITHUB_TOKEN' },
    })
    expect(providers.get('stripe')).toEqual({
      name: 'stripe',
      title: 'Stripe',
      scopes: [],
      sending: { header: 'X-Key' },
      by: { kind: 'key', fieldLabel: 'Stripe key', placeholder: 'sk_…' },
    })
  })

  const good = { issuer: 'https://notes.test', clientId: 'abc' }
  test.each([
    { flaw: 'no settings', settings: 'yes', path: [], says: /issuer/ },
    {
      flaw: 'nothing to find it by',
      settings: { clientId: 'abc' },
      path: [],
      says: /"issuer".*"preset".*"apiKey: true"/,
    },
    { flaw: 'no client', settings: { issuer: 'https://notes.test' }, path: [], says: /"clientId".*register/ },
    { flaw: 'an issuer in clear', settings: { ...good, issuer: 'http://notes.test' }, path: ['issuer'], says: /https/ },
    { flaw: 'an issuer that is no address', settings: { ...good, issuer: 'notes' }, path: ['issuer'], says: /https/ },
    {
      flaw: 'half of the endpoints',
      settings: { clientId: 'a', tokenEndpoint: 'https://n.test/t' },
      path: [],
      says: /both/,
    },
    { flaw: 'an empty secret', settings: { ...good, clientSecret: '' }, path: ['clientSecret'], says: /not empty/ },
    {
      flaw: 'a secret to send and none there',
      settings: { ...good, clientAuthentication: 'client_secret_post' },
      path: ['clientAuthentication'],
      says: /clientSecret/,
    },
    {
      flaw: 'an unknown way to authenticate',
      settings: { ...good, clientAuthentication: 'magic' },
      path: ['clientAuthentication'],
      says: /client_secret_basic/,
    },
    { flaw: 'scopes as text', settings: { ...good, scopes: 'a b' }, path: ['scopes'], says: /list/ },
    { flaw: 'two scopes in one', settings: { ...good, scopes: ['a b'] }, path: ['scopes'], says: /list/ },
    {
      flaw: 'a parameter that is ours',
      settings: { ...good, extraParams: { redirect_uri: 'x' } },
      path: ['extraParams'],
      says: /redirect_uri/,
    },
    { flaw: 'a misspelt setting', settings: { ...good, clientID: 'x' }, path: ['clientID'], says: /clientId/ },
    { flaw: 'an unknown preset', settings: { ...good, preset: 'gitlab' }, path: ['issuer'], says: /preset/ },
    {
      flaw: 'a preset of nobody',
      settings: { preset: 'gitlab', clientId: 'a', clientSecret: 's' },
      path: ['preset'],
      says: /github, nextcloud/,
    },
    {
      flaw: 'a Nextcloud nowhere',
      settings: { preset: 'nextcloud', clientId: 'a', clientSecret: 's' },
      path: [],
      says: /"url"/,
    },
    { flaw: 'a key that is not', settings: { apiKey: false }, path: ['apiKey'], says: /true/ },
    { flaw: 'a header with a space', settings: { apiKey: true, header: 'X Key' }, path: ['header'], says: /header/ },
    { flaw: 'a variable with a dash', settings: { apiKey: true, env: 'A-B' }, path: ['env'], says: /variable/ },
  ])('refuses $flaw, and says where and what to do', ({ settings, path, says }) => {
    let error: unknown
    try {
      read({ notes: settings })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(BadConfig)
    expect(error).toMatchObject({ code: 'bad_config', path: ['notes', ...path], message: expect.stringMatching(says) })
  })

  test.each([
    ['my_notes', 'such as "my-notes"'],
    ['Notes', 'such as "notes"'],
    ['a/b', 'such as "a-b"'],
    ['_', '32 characters at most.'],
    ['', '32 characters at most.'],
    [`${'n'.repeat(32)}-x`, `such as "${'n'.repeat(32)}"`],
  ])('refuses the name %j, which no question could use, and says what to write', (name, remedy) => {
    expect(() => read({ [name]: { apiKey: true } })).toThrow(
      expect.objectContaining({ code: 'bad_config', path: [name], message: expect.stringContaining(remedy) }),
    )
  })

  test('createAssent refuses such a name too, for providers of one’s own', async () => {
    const providers = new Map([['my_notes', fakeKeyProvider()]])
    await expect(createAssent({ store: 'memory:', providers })).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining('"my-notes"'),
    })
  })

  test('no scopes are asked for where the settings name none', () => {
    const providers = read({ notes: { ...good, scopes: [] }, others: good })
    expect([...providers.values()].map(({ scopes }) => scopes)).toEqual([[], []])
  })
})
