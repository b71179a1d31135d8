import { expect, test } from 'vitest'
import { alice, bob } from '../../src/testing/elicitations.ts'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { anAssent } from '../support/assents.ts'
import { type Authenticator, authenticator, type Wrong } from '../support/passkey/authenticator.ts'
import { passkeyEvents, passkeyUrl, register, sign } from '../support/passkey/people.ts'

const what = { to: 'answer', about: 'question-1', choice: 'allow_once', arguments: { amount: 5 } }
const place = () => anAssent({ publicUrl: passkeyUrl })

/** A person with a passkey, and a control: what they sign rightly is accepted. */
async function person() {
  const assent = await place()
  const { device, passkey } = await register(assent, alice)
  const right = await sign(assent, alice, what, device)
  expect(await assent.passkeys.verify(alice, what, right)).toMatchObject({ kind: 'verified' })
  return { assent, device, passkey }
}

const refused = (reason: string) => ({ kind: 'refused', reason })

test('a signature replayed counts once, however often and at once it is sent', async () => {
  const { assent, device } = await person()
  const signed = await sign(assent, alice, what, device)
  const all = await Promise.all(Array.from({ length: 20 }, () => assent.passkeys.verify(alice, what, signed)))
  expect(all.filter(({ kind }) => kind === 'verified')).toHaveLength(1)
  expect(await assent.passkeys.verify(alice, what, signed)).toEqual(refused('ceremony-over'))
})

test('a signature replayed under a new ceremony is for something else', async () => {
  const { assent, device } = await person()
  const { assertion } = await sign(assent, alice, what, device)
  const { ceremony } = await sign(assent, alice, what, device)
  expect(await assent.passkeys.verify(alice, what, { ceremony, assertion })).toEqual(refused('signed-something-else'))
})

test('a ceremony that another installation began', async () => {
  const { assent, device } = await person()
  const other = await anAssent({ publicUrl: passkeyUrl, keys: formatKey(makeKey()) })
  const theirs = await register(other, alice)
  const { ceremony } = await sign(other, alice, what, theirs.device)
  const { assertion } = await sign(assent, alice, what, device)
  expect(await assent.passkeys.verify(alice, what, { ceremony, assertion })).toEqual(refused('ceremony-over'))
})

test.each(['', 'nonsense', 'key~box', 'x'.repeat(10_000)])('a forged ceremony %#', async (ceremony) => {
  const { assent, device } = await person()
  const { assertion } = await sign(assent, alice, what, device)
  expect(await assent.passkeys.verify(alice, what, { ceremony, assertion })).toEqual(refused('ceremony-over'))
})

test.each([
  ['another question', { about: 'question-2' }],
  ['another choice', { choice: 'always_allow/server/revoked/all' }],
  ['edited arguments', { arguments: { amount: 5_000 } }],
  ['another act', { to: 'add-passkey' }],
])('a signature for %s', async (_, other) => {
  const { assent, device } = await person()
  const signed = await sign(assent, alice, what, device)
  expect(await assent.passkeys.verify(alice, { ...what, ...other }, signed)).toEqual(refused('signed-something-else'))
  // What was refused did not use it up for what it is for.
  expect(await assent.passkeys.verify(alice, what, signed)).toMatchObject({ kind: 'verified' })
})

test("another person's signature, with their own passkey", async () => {
  const { assent } = await person()
  const { device } = await register(assent, bob)
  const signed = await sign(assent, bob, what, device)
  expect(await assent.passkeys.verify(alice, what, signed)).toEqual(refused('unknown-passkey'))
})

test('a passkey that was revoked', async () => {
  const { assent, device, passkey } = await person()
  const signed = await sign(assent, alice, what, device)
  await assent.passkeys.revokeAsOperator(passkey.id)
  expect(await assent.passkeys.verify(alice, what, signed)).toEqual(refused('unknown-passkey'))
})

test('a passkey that is revoked while its signature is checked', async () => {
  const { assent, device, passkey } = await person()
  const signed = await sign(assent, alice, what, device)
  const { saveIfUnchanged } = assent.store.passkeys
  assent.store.passkeys.saveIfUnchanged = async (next) => {
    await assent.passkeys.revokeAsOperator(passkey.id)
    return saveIfUnchanged(next)
  }
  expect(await assent.passkeys.verify(alice, what, signed)).toEqual(refused('unknown-passkey'))
})

type Attack = readonly [name: string, wrong: (other: Authenticator) => Wrong, reason: string]
const wrongs: readonly Attack[] = [
  ['another origin', () => ({ origin: 'https://evil.example' }), 'not-verified'],
  ['another port of this host', () => ({ origin: 'http://localhost:4181' }), 'not-verified'],
  ['another site', () => ({ site: 'evil.example' }), 'not-verified'],
  ['no user verification', () => ({ unverified: true }), 'not-verified'],
  ['another key under the same name', (other) => ({ keyOf: other }), 'not-verified'],
  ['a page in a frame of another site', () => ({ crossOrigin: true }), 'not-verified'],
  ['client data of a registration', () => ({ type: 'webauthn.create' }), 'not-verified'],
  ['another challenge', () => ({ challenge: 'AAAA' }), 'signed-something-else'],
  [
    'client data changed after signing',
    () => ({ origin: 'https://evil.example', clientDataAfterwards: { origin: passkeyUrl } }),
    'not-verified',
  ],
  ['a counter that goes backwards', () => ({ counter: 1 }), 'counter-backwards'],
  ['a counter that stands still', () => ({ counter: 2 }), 'counter-backwards'],
  ['a counter that is gone', () => ({ counter: 0 }), 'counter-backwards'],
]

test.each(wrongs)('a signature with %s is refused, and audited', async (_, wrong, reason) => {
  const { assent, device } = await person()
  const signed = await sign(assent, alice, what, device, wrong(authenticator(passkeyUrl)))
  expect(await assent.passkeys.verify(alice, what, signed)).toEqual(refused(reason))
  expect((await passkeyEvents(assent)).at(-1)).toEqual({ kind: 'passkey-refused', data: { reason, to: 'answer' } })
  // The person's own device is not locked out by it.
  device.counter = 50
  expect((await assent.passkeys.verify(alice, what, await sign(assent, alice, what, device))).kind).toBe('verified')
})

test('challenge of another question in client data that is forged after signing', async () => {
  const { assent, device } = await person()
  const wanted = await assent.passkeys.beginSigning(alice, { ...what, about: 'question-2' })
  const assertion = device.get((await assent.passkeys.beginSigning(alice, what))?.request ?? {}, {
    clientDataAfterwards: { challenge: wanted?.request.challenge },
  })
  const signed = { ceremony: wanted?.ceremony ?? '', assertion }
  expect(await assent.passkeys.verify(alice, { ...what, about: 'question-2' }, signed)).toEqual(refused('not-verified'))
})

test.each([undefined, null, 5, 'text', [], {}, { id: 5 }])(
  'an assertion that is no assertion: %j',
  async (assertion) => {
    const { assent, device } = await person()
    const { ceremony } = await sign(assent, alice, what, device)
    expect(await assent.passkeys.verify(alice, what, { ceremony, assertion })).toEqual(refused('unknown-passkey'))
  },
)

test.each([
  {},
  { response: null },
  { response: {} },
  { response: { clientDataJSON: 'bnVsbA' } },
  { response: { clientDataJSON: 'e30', authenticatorData: '', signature: '' } },
])('an assertion under a right name that is malformed: %j', async (over) => {
  const { assent, device } = await person()
  const signed = await sign(assent, alice, what, device)
  const { id, rawId, type } = signed.assertion
  const assertion = { id, rawId, type, ...over }
  expect((await assent.passkeys.verify(alice, what, { ...signed, assertion })).kind).toBe('refused')
  expect(await assent.passkeys.verify(alice, what, signed)).toMatchObject({ kind: 'verified' })
})

test('of two copies of a passkey that sign at once with one count, one is refused', async () => {
  const { assent, device } = await person()
  const both = [
    await sign(assent, alice, what, device, { counter: 9 }),
    await sign(assent, alice, what, device, { counter: 9 }),
  ]
  const results = await Promise.all(both.map((signed) => assent.passkeys.verify(alice, what, signed)))
  expect(results.map((result) => ('reason' in result ? result.reason : result.kind)).sort()).toEqual([
    'counter-backwards',
    'verified',
  ])
})

test('somebody with a browser of the person, and without their passkey, adds no other', async () => {
  const { assent, device } = await person()
  const thief = authenticator(passkeyUrl)
  const { ceremony, creation, confirmation } = await assent.passkeys.beginAdding(alice, 'alice')
  const created = thief.create(creation)
  const plain = await assent.passkeys.add(alice, { ceremony, created, name: '' })
  expect(plain).toEqual(refused('existing-passkey-needed'))

  const again = await assent.passkeys.beginAdding(alice, 'alice')
  const confirmed = {
    ceremony: again.confirmation?.ceremony ?? '',
    assertion: thief.get(again.confirmation?.request ?? {}),
  }
  const withTheirs = { ceremony: again.ceremony, created: thief.create(again.creation), confirmed, name: '' }
  expect(await assent.passkeys.add(alice, withTheirs)).toEqual(refused('unknown-passkey'))

  // A confirmation that the person gave for one new passkey lets in no other.
  const third = await assent.passkeys.beginAdding(alice, 'alice')
  const given = { ceremony: confirmation?.ceremony ?? '', assertion: device.get(confirmation?.request ?? {}) }
  const moved = { ceremony: third.ceremony, created: thief.create(third.creation), confirmed: given, name: '' }
  expect(await assent.passkeys.add(alice, moved)).toEqual(refused('signed-something-else'))
  expect(await assent.passkeys.list(alice)).toHaveLength(1)
  expect((await passkeyEvents(assent)).slice(1).map(({ data }) => data)).toEqual([
    { reason: 'existing-passkey-needed', to: 'create-passkey' },
    { reason: 'unknown-passkey', to: 'create-passkey' },
    { reason: 'signed-something-else', to: 'create-passkey' },
  ])
})

test('a passkey made in the time of the first one needs its signature too', async () => {
  const assent = await place()
  const begun = await assent.passkeys.beginAdding(alice, 'alice')
  await register(assent, alice)
  const created = authenticator(passkeyUrl).create(begun.creation)
  expect(await assent.passkeys.add(alice, { ceremony: begun.ceremony, created, name: '' })).toEqual(
    refused('existing-passkey-needed'),
  )
})

test('somebody with a browser of the person, and without their passkey, revokes none', async () => {
  const { assent, passkey, device } = await person()
  const signing = await assent.passkeys.beginRevoking(alice, passkey.id)
  const assertion = authenticator(passkeyUrl).get(signing?.request ?? {})
  const signed = { ceremony: signing?.ceremony ?? '', assertion }
  expect(await assent.passkeys.revoke(alice, passkey.id, signed)).toEqual(refused('unknown-passkey'))
  const forAnAnswer = await sign(assent, alice, what, device)
  expect(await assent.passkeys.revoke(alice, passkey.id, forAnAnswer)).toEqual(refused('signed-something-else'))
  expect(await assent.passkeys.list(alice)).toHaveLength(1)
})

test.each([
  ['another origin', { origin: 'https://evil.example' }, 'not-verified'],
  ['another site', { site: 'evil.example' }, 'not-verified'],
  ['no user verification', { unverified: true }, 'not-verified'],
  ['client data of a signature', { type: 'webauthn.get' }, 'not-verified'],
  ['a page in a frame of another site', { crossOrigin: true }, 'not-verified'],
  ['a forged attestation', { forgedAttestation: true }, 'not-verified'],
  ['another challenge', { challenge: 'AAAA' }, 'signed-something-else'],
] as const)('a new passkey with %s is refused', async (_, wrong, reason) => {
  const assent = await place()
  const { ceremony, creation } = await assent.passkeys.beginAdding(alice, 'alice')
  const created = authenticator(passkeyUrl).create(creation, wrong)
  expect(await assent.passkeys.add(alice, { ceremony, created, name: '' })).toEqual(refused(reason))
  expect(await assent.passkeys.list(alice)).toEqual([])
})

test('a new passkey sent twice, or under a forged ceremony, or for somebody else', async () => {
  const assent = await place()
  const { ceremony, creation } = await assent.passkeys.beginAdding(alice, 'alice')
  const created = authenticator(passkeyUrl).create(creation)
  const forged = await assent.passkeys.add(alice, { ceremony: 'x~y', created, name: '' })
  expect(forged).toEqual(refused('ceremony-over'))
  const forBob = await assent.passkeys.add(bob, { ceremony, created, name: '' })
  expect(forBob).toEqual(refused('signed-something-else'))
  const twice = [0, 1].map(() => assent.passkeys.add(alice, { ceremony, created, name: '' }))
  expect((await Promise.all(twice)).map(({ kind }) => kind).sort()).toEqual(['added', 'refused'])
  expect(await assent.passkeys.list(alice)).toHaveLength(1)
})

test('a device registered by one person and then by another is refused for the other', async () => {
  const assent = await place()
  const { device } = await register(assent, alice)
  const { ceremony, creation } = await assent.passkeys.beginAdding(bob, 'bob')
  const added = await assent.passkeys.add(bob, { ceremony, created: device.create(creation), name: '' })
  expect(added).toEqual(refused('registered-already'))
})
