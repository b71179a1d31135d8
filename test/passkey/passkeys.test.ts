import { describe, expect, test } from 'vitest'
import { alice, bob } from '../../src/testing/elicitations.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { anAssent, everyAssent } from '../support/assents.ts'
import { authenticator } from '../support/passkey/authenticator.ts'
import { passkeyEvents, passkeyUrl, register, sign } from '../support/passkey/people.ts'

const transfer = { to: 'answer', about: 'question-1', amount: 5 }
const place = (options: Parameters<typeof anAssent>[0] = {}) => anAssent({ publicUrl: passkeyUrl, ...options })

describe.each(everyAssent)('on $name', ({ assent }) => {
  test('a person adds a passkey, signs with it, and it is counted', async () => {
    const assented = await assent({ publicUrl: passkeyUrl })
    const { device, passkey } = await register(assented, alice, { name: '  My\n laptop ' })
    expect(passkey).toMatchObject({ name: 'My laptop', participant: alice, counter: 1, kind: 'device', version: 1 })

    const signed = await sign(assented, alice, transfer, device)
    const verified = await assented.passkeys.verify(alice, transfer, signed)
    expect(verified).toMatchObject({ kind: 'verified', passkey: { id: passkey.id, counter: 2, version: 2 } })
    expect(await assented.passkeys.list(alice)).toMatchObject([{ counter: 2, usedAt: expect.any(Date) }])
  })
})

describe('adding', () => {
  test('asks for user verification, and excludes the passkeys that the person has', async () => {
    const assent = await place()
    const { device } = await register(assent, alice)
    const { creation, confirmation } = await assent.passkeys.beginAdding(alice, 'alice')
    expect(creation).toMatchObject({
      rp: { id: 'localhost', name: 'Assent' },
      user: { name: 'alice' },
      attestation: 'none',
      authenticatorSelection: { userVerification: 'required' },
      excludeCredentials: [{ id: device.credential, transports: ['internal'] }],
    })
    expect(confirmation?.request).toMatchObject({
      rpId: 'localhost',
      userVerification: 'required',
      allowCredentials: [{ id: device.credential }],
    })
  })

  test('the first needs no other; the second needs the signature of the first', async () => {
    const assent = await place()
    const first = await register(assent, alice)
    const second = await register(assent, alice, { existing: first.device, name: 'Phone' })
    expect((await assent.passkeys.list(alice)).map(({ name }) => name)).toEqual(['Laptop', 'Phone'])
    expect((await passkeyEvents(assent)).map(({ kind, data }) => [kind, data.others])).toEqual([
      ['passkey-added', 0],
      ['passkey-added', 1],
    ])
    const signed = await sign(assent, alice, transfer, second.device)
    expect(await assent.passkeys.verify(alice, transfer, signed)).toMatchObject({ kind: 'verified' })
  })

  test('a passkey without a name gets one', async () => {
    const assent = await place()
    expect((await register(assent, alice, { name: ' \t ' })).passkey.name).toBe('Passkey')
  })

  test('of a synced passkey it is known that other devices have it, and that it does not count', async () => {
    const assent = await place()
    const device = authenticator(passkeyUrl, { counts: false, synced: true })
    expect((await register(assent, alice, { device })).passkey).toMatchObject({ kind: 'synced', counter: 0 })
    for (const amount of [1, 2, 3]) {
      const signed = await sign(assent, alice, { ...transfer, amount }, device)
      expect(await assent.passkeys.verify(alice, { ...transfer, amount }, signed)).toMatchObject({ kind: 'verified' })
    }
  })

  test('nobody has more passkeys than the limit says', async () => {
    const assent = await place({ limits: { passkeysPerPerson: 2 } })
    const { device } = await register(assent, alice)
    await register(assent, alice, { existing: device })
    const { ceremony, creation, confirmation } = await assent.passkeys.beginAdding(alice, 'alice')
    const third = authenticator(passkeyUrl)
    const confirmed = { ceremony: confirmation?.ceremony ?? '', assertion: device.get(confirmation?.request ?? {}) }
    expect(
      await assent.passkeys.add(alice, { ceremony, created: third.create(creation), confirmed, name: '' }),
    ).toEqual({ kind: 'refused', reason: 'too-many' })
    expect(await assent.passkeys.list(alice)).toHaveLength(2)
  })

  test('one device is not registered twice by one person', async () => {
    const assent = await place()
    const { device } = await register(assent, alice)
    const { ceremony, creation } = await assent.passkeys.beginAdding(alice, 'alice')
    const again = await assent.passkeys.add(alice, { ceremony, created: device.create(creation), name: '' })
    expect(again).toEqual({ kind: 'refused', reason: 'registered-already' })
  })

  test('a transport that no browser knows is not kept', async () => {
    const assent = await place()
    const device = authenticator(passkeyUrl)
    const { ceremony, creation } = await assent.passkeys.beginAdding(alice, 'alice')
    const created = device.create(creation) as { response: { transports?: string[] } }
    created.response.transports = ['usb', '<script>']
    await assent.passkeys.add(alice, { ceremony, created, name: 'Key' })
    expect((await assent.passkeys.list(alice))[0]?.transports).toEqual(['usb'])
    const another = await assent.passkeys.beginAdding(bob, 'bob')
    const plain = authenticator(passkeyUrl).create(another.creation) as { response: { transports?: string[] } }
    delete plain.response.transports
    await assent.passkeys.add(bob, { ceremony: another.ceremony, created: plain, name: 'Key' })
    expect((await assent.passkeys.list(bob))[0]?.transports).toEqual([])
  })
})

describe('naming and revoking', () => {
  test('a passkey gets another name, of its person alone', async () => {
    const assent = await place()
    const { passkey } = await register(assent, alice)
    expect(await assent.passkeys.rename(bob, passkey.id, 'Mine')).toBe(false)
    expect(await assent.passkeys.rename(alice, passkey.id, ' \n ')).toBe(false)
    expect(await assent.passkeys.rename(alice, passkey.id, `${'x'.repeat(59)}𝄞`)).toBe(true)
    expect((await assent.passkeys.list(alice))[0]?.name).toBe(`${'x'.repeat(59)}\ufffd`)
  })

  test('a name given while the passkey is used is kept, and so is the use', async () => {
    const assent = await place()
    const { device, passkey } = await register(assent, alice)
    const signed = await sign(assent, alice, transfer, device)
    const names = Array.from({ length: 5 }, (_, index) => assent.passkeys.rename(alice, passkey.id, `name ${index}`))
    const [verified] = await Promise.all([assent.passkeys.verify(alice, transfer, signed), ...names])
    expect(verified.kind).toBe('verified')
    expect(await assent.passkeys.list(alice)).toMatchObject([{ counter: 2, name: expect.stringContaining('name') }])
  })

  test('a person revokes a passkey by signing that with any of theirs, and is told how many are left', async () => {
    const assent = await place()
    const first = await register(assent, alice)
    const second = await register(assent, alice, { existing: first.device })
    for (const [{ passkey }, left] of [[first, 1] as const, [second, 0] as const]) {
      const signing = await assent.passkeys.beginRevoking(alice, passkey.id)
      const assertion = second.device.get(signing?.request ?? {})
      const revoked = await assent.passkeys.revoke(alice, passkey.id, { ceremony: signing?.ceremony ?? '', assertion })
      expect(revoked).toEqual({ kind: 'revoked', left })
    }
    expect(await assent.passkeys.list(alice)).toEqual([])
    expect(await assent.passkeys.beginSigning(alice, transfer)).toBeUndefined()
    expect((await passkeyEvents(assent)).slice(2)).toEqual([
      { kind: 'passkey-revoked', data: { by: 'person', with: second.passkey.id, left: 1 } },
      { kind: 'passkey-revoked', data: { by: 'person', with: second.passkey.id, left: 0 } },
    ])
  })

  test('what is not there is not revoked', async () => {
    const assent = await place()
    const { device, passkey } = await register(assent, alice)
    expect(await assent.passkeys.beginRevoking(alice, 'nothing')).toBeUndefined()
    expect(await assent.passkeys.beginRevoking(bob, passkey.id)).toBeUndefined()
    const signed = await sign(assent, alice, { to: 'revoke-passkey', about: 'nothing' }, device)
    expect(await assent.passkeys.revoke(alice, 'nothing', signed)).toEqual({
      kind: 'refused',
      reason: 'unknown-passkey',
    })
    expect(await assent.passkeys.revokeAsOperator('nothing')).toBeUndefined()
  })

  test('the operator revokes any passkey, however many there are', async () => {
    const assent = await place()
    const { passkey } = await register(assent, alice)
    for (let index = 0; index < 200; index += 1) {
      await assent.store.passkeys.add({ ...passkey, id: `${index}`, credential: `${index}`, participant: bob })
    }
    const last = { ...passkey, id: 'last', credential: 'last', participant: bob }
    await assent.store.passkeys.add(last)
    expect(await assent.passkeys.listAll(300)).toHaveLength(202)
    expect(await assent.passkeys.revokeAsOperator('last')).toEqual(last)
    expect(await assent.passkeys.revokeAsOperator('last')).toBeUndefined()
    expect((await passkeyEvents(assent)).at(-1)).toEqual({
      kind: 'passkey-revoked',
      data: { by: 'operator', left: 200 },
    })
  })

  test('forgetting a person deletes their passkeys', async () => {
    const assent = await place()
    await register(assent, alice)
    await register(assent, bob)
    await assent.forget(alice)
    expect(await assent.passkeys.list(alice)).toEqual([])
    expect(await assent.passkeys.list(bob)).toHaveLength(1)
  })
})

describe('where passkeys work', () => {
  test.each([
    ['http://localhost:4180', undefined],
    ['https://assent.example.com', undefined],
    ['http://127.0.0.1:4180', 'http://localhost:4180'],
    ['http://[::1]:4180', 'http://localhost:4180'],
  ])('%s', async (publicUrl, instead) => {
    const assent = await place({ publicUrl })
    if (instead === undefined) expect(assent.passkeys.problem).toBeUndefined()
    else expect(assent.passkeys.problem).toContain(`such as ${instead}.`)
  })
})

test('a ceremony is over after five minutes', async () => {
  const clock = fixedClock(new Date('2026-01-01T00:00:00Z'))
  const assent = await place({ clock })
  const { device } = await register(assent, alice)
  const early = await sign(assent, alice, transfer, device)
  const late = await sign(assent, alice, transfer, device)
  clock.advance(5 * 60_000 - 1)
  expect(await assent.passkeys.verify(alice, transfer, early)).toMatchObject({ kind: 'verified' })
  clock.advance(1)
  expect(await assent.passkeys.verify(alice, transfer, late)).toEqual({ kind: 'refused', reason: 'ceremony-over' })
})
