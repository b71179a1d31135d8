import { describe, expect, test } from 'vitest'
import type { Via } from '../../src/elicitation/answering/answerers.ts'
import type { Answer, Elicitation } from '../../src/elicitation/elicitation.ts'
import type { Content } from '../../src/elicitation/form/schema.ts'
import type { Assent } from '../../src/index.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { anUpstream, asks } from '../support/approval/approving.ts'
import { anAssent } from '../support/assents.ts'
import { type Authenticator, authenticator, type Wrong } from '../support/passkey/authenticator.ts'
import { passkeyEvents, passkeyUrl, register } from '../support/passkey/people.ts'

/** Where writing needs a signature of alice, who may change the content. */
async function place(rule: object = {}) {
  const assent = await anAssent({
    publicUrl: passkeyUrl,
    policy: { rules: [{ decide: 'ask', answer: 'passkey', editable: ['content'], ...rule }] },
  })
  return { assent, upstream: anUpstream(assent), ...(await register(assent, alice)) }
}

const allow: Content = { choice: 'allow_once', edit_content: 'hello' }
const yes = (content: Content = allow): Answer => ({ action: 'accept', content })

/** What somebody signs for an answer; the test sends it, or something else. */
async function signFor(
  assent: Assent,
  { id }: Elicitation,
  device: Authenticator,
  { content = allow, participant = alice, wrong = {} as Wrong } = {},
) {
  const begun = await assent.beginSigning(id, { participant, groups: [] }, yes(content))
  if (begun.kind !== 'signing') throw new Error(`It was to be signed, and is ${JSON.stringify(begun)}.`)
  return { ceremony: begun.signing.ceremony, assertion: device.get(begun.signing.request, wrong) }
}

type Signed = Awaited<ReturnType<typeof signFor>>

const send = (
  assent: Assent,
  { id }: Elicitation,
  signed: Signed,
  content = allow,
  participant: ParticipantId = alice,
) => assent.answer(id, { participant, groups: [], via: 'passkey', signed }, yes(content))

/** Nothing ran, and nobody has answered. */
async function stillOpen({ assent, upstream }: Awaited<ReturnType<typeof place>>, { id }: Elicitation): Promise<void> {
  expect((await assent.get(id))?.state.kind).toBe('open')
  await upstream.run(aCall(), 'walk-2')
  expect(upstream.sent).toEqual([])
}

test('a signed yes lets exactly this call run, once', async () => {
  const { assent, upstream, device, passkey } = await place()
  const asked = await asks(assent)
  const answered = await send(assent, asked, await signFor(assent, asked, device))
  expect(answered).toMatchObject({
    kind: 'kept',
    elicitation: { state: { by: { via: 'passkey', passkey: passkey.id } } },
  })
  expect((await upstream.run(aCall(), 'walk-1')).kind).toBe('done')
  expect((await upstream.run(aCall(), 'walk-2')).kind).toBe('question')
  expect(upstream.sent).toHaveLength(1)
})

test.each<Via>(['client', 'hub', 'channel', 'page', 'inbox', 'terminal'])(
  'a yes by %s, without a passkey',
  async (via) => {
    const here = await place()
    const asked = await asks(here.assent)
    const answering = { participant: alice, groups: [], via, client: 'claude-code' }
    await expect(here.assent.answer(asked.id, answering, yes())).rejects.toMatchObject({ code: 'channel_refused' })
    await stillOpen(here, asked)
  },
)

test.each<Via>(['page', 'inbox', 'terminal'])('a no by %s needs no passkey, nor does a lasting no', async (via) => {
  for (const no of [
    { action: 'decline' } as const,
    yes({ choice: 'deny' }),
    yes({ choice: 'always_deny/tool/revoked/this' }),
  ]) {
    const { assent } = await place()
    const asked = await asks(assent)
    const answered = await assent.answer(asked.id, { participant: alice, groups: [], via }, no)
    expect(answered.kind).toBe('kept')
  }
})

test('somebody says that they signed, and signed nothing', async () => {
  const here = await place()
  const asked = await asks(here.assent)
  const answering = { participant: alice, groups: [], via: 'passkey' } as const
  const answered = await here.assent.answer(asked.id, answering, yes())
  expect(answered).toMatchObject({ kind: 'invalid', errors: [{ message: 'Sign your answer with your passkey.' }] })
  await stillOpen(here, asked)
})

test('a passkey assertion replayed', async () => {
  const here = await place()
  const first = await asks(here.assent)
  const signed = await signFor(here.assent, first, here.device)
  expect((await send(here.assent, first, signed)).kind).toBe('kept')
  await here.upstream.run(aCall(), 'walk-1')
  // The same call again is another question, of the same identity.
  const second = await asks(here.assent, aCall(), 'walk-2')
  expect(second.identity).toBe(first.identity)
  expect((await send(here.assent, second, signed)).kind).toBe('invalid')
  expect((await here.assent.get(second.id))?.state.kind).toBe('open')
})

test('a passkey assertion for another question', async () => {
  const here = await place()
  const [asked, other] = [
    await asks(here.assent),
    await asks(here.assent, aCall({ arguments: { path: '/etc/passwd' } })),
  ]
  const signed = await signFor(here.assent, asked, here.device)
  expect(await send(here.assent, other, signed, { choice: 'allow_once' })).toMatchObject({ kind: 'invalid' })
  expect((await passkeyEvents(here.assent)).at(-1)?.data).toEqual({ reason: 'signed-something-else', to: 'answer' })
  await stillOpen(here, asked)
})

test('a passkey assertion for another choice', async () => {
  const here = await place({ editable: undefined })
  const asked = await asks(here.assent)
  const signed = await signFor(here.assent, asked, here.device, { content: { choice: 'allow_once' } })
  const wider = { choice: 'always_allow/tool/revoked/this' }
  expect((await send(here.assent, asked, signed, wider)).kind).toBe('invalid')
  await stillOpen(here, asked)
})

test('a passkey assertion for edited arguments', async () => {
  const here = await place()
  const asked = await asks(here.assent)
  const signed = await signFor(here.assent, asked, here.device)
  const edited = { choice: 'allow_once', edit_content: 'rm -rf' }
  expect((await send(here.assent, asked, signed, edited)).kind).toBe('invalid')
  await stillOpen(here, asked)
  // Signed as edited, it runs as edited.
  const again = await signFor(here.assent, asked, here.device, { content: edited })
  expect((await send(here.assent, asked, again, edited)).kind).toBe('kept')
  await here.upstream.run(aCall(), 'walk-1')
  expect(here.upstream.sent[0]?.arguments).toEqual({ path: '/tmp/notes.txt', content: 'rm -rf' })
})

test("another person's passkey", async () => {
  const here = await place({ approvers: [alice, bob] })
  const theirs = await register(here.assent, bob)
  const asked = await asks(here.assent)
  const signed = await signFor(here.assent, asked, theirs.device, { participant: bob })
  expect((await send(here.assent, asked, signed)).kind).toBe('invalid')
  // And alice's own signature is worth nothing in bob's name.
  const mine = await signFor(here.assent, asked, here.device)
  expect((await send(here.assent, asked, mine, allow, bob)).kind).toBe('invalid')
  await stillOpen(here, asked)
})

test('a passkey of somebody who was not asked', async () => {
  const here = await place()
  const mallory = 'mallory@https://login.example.com' as ParticipantId
  await register(here.assent, mallory)
  const asked = await asks(here.assent)
  const begun = here.assent.beginSigning(asked.id, { participant: mallory, groups: [] }, yes())
  await expect(begun).rejects.toMatchObject({ code: 'participant_mismatch' })
  await stillOpen(here, asked)
})

describe('a passkey assertion', () => {
  test.each<[string, Wrong, string]>([
    ['from another origin', { origin: 'https://evil.example' }, 'not-verified'],
    ['for another site', { site: 'evil.example' }, 'not-verified'],
    ['without user verification', { unverified: true }, 'not-verified'],
    ['with a forged client data', { clientDataAfterwards: { crossOrigin: 0 } }, 'not-verified'],
    ['signed by another key', { keyOf: authenticator(passkeyUrl) }, 'not-verified'],
    ['with a counter going backwards', { counter: 1 }, 'counter-backwards'],
  ])('%s', async (_, wrong, reason) => {
    const here = await place()
    const asked = await asks(here.assent)
    const signed = await signFor(here.assent, asked, here.device, { wrong })
    expect((await send(here.assent, asked, signed)).kind).toBe('invalid')
    expect((await passkeyEvents(here.assent)).at(-1)).toEqual({
      kind: 'passkey-refused',
      data: { reason, to: 'answer' },
    })
    await stillOpen(here, asked)
  })
})

test('a quorum of passkeys: one person with two of them counts once, and an unsigned vote not at all', async () => {
  const [dave, erin] = ['dave', 'erin'].map((name) => `${name}@https://login.example.com`) as [
    ParticipantId,
    ParticipantId,
  ]
  const { assent, upstream } = await place({ approvers: [dave, erin, bob], quorum: 2, editable: undefined })
  const laptop = await register(assent, dave)
  const phone = await register(assent, dave, { existing: laptop.device, name: 'Phone' })
  const asked = await asks(assent)
  const content = { choice: 'allow_once' }
  const signed = async (participant: ParticipantId, device: Authenticator) =>
    send(assent, asked, await signFor(assent, asked, device, { content, participant }), content, participant)
  for (const { device } of [laptop, phone, laptop]) {
    expect(await signed(dave, device)).toMatchObject({ kind: 'counted' })
  }
  expect((await assent.get(asked.id))?.voting?.votes).toMatchObject([{ by: dave, via: 'passkey' }])
  // Whoever holds a browser of erin, and none of her passkeys, adds nothing.
  const unsigned = { participant: erin, groups: [], via: 'page' } as const
  await expect(assent.answer(asked.id, unsigned, yes(content))).rejects.toMatchObject({ code: 'channel_refused' })
  const { device } = await register(assent, erin)
  const daves = await signFor(assent, asked, phone.device, { content, participant: dave })
  expect(await send(assent, asked, daves, content, erin)).toMatchObject({ kind: 'invalid' })
  await upstream.run(aCall(), 'walk-1', asked.id)
  expect(upstream.sent).toEqual([])
  expect(await signed(erin, device)).toMatchObject({ kind: 'kept' })
  await upstream.run(aCall(), 'walk-1', asked.id)
  await upstream.run(aCall(), 'walk-1', asked.id)
  expect(upstream.sent).toHaveLength(1)
})

test('a vote that was signed before an edit counts for nothing after it', async () => {
  const [dave, erin] = ['dave', 'erin'].map((name) => `${name}@https://login.example.com`) as [
    ParticipantId,
    ParticipantId,
  ]
  const { assent, upstream } = await place({ approvers: [dave, erin, bob], quorum: 2 })
  const [daves, erins] = [await register(assent, dave), await register(assent, erin)]
  const asked = await asks(assent)
  const early = await signFor(assent, asked, daves.device, { participant: dave })
  const content = { choice: 'allow_once', edit_content: 'rm -rf' }
  const edited = await signFor(assent, asked, erins.device, { content, participant: erin })
  expect(await send(assent, asked, edited, content, erin)).toMatchObject({ kind: 'counted' })
  // Neither as it was signed, nor for what it became, nor by saying that he saw it.
  const seen = (await assent.get(asked.id))?.voting?.edit?.digest as string
  for (const [given, over] of [
    [allow, {}],
    [content, {}],
    [content, { seen }],
    [allow, { seen }],
  ] as const) {
    const answering = { participant: dave, groups: [], via: 'passkey', signed: early, ...over } as const
    expect(await assent.answer(asked.id, answering, yes(given))).toMatchObject({ kind: 'invalid' })
  }
  await upstream.run(aCall(), 'walk-1', asked.id)
  expect(upstream.sent).toEqual([])
})

test('a lasting yes that was given on a page does not cover what needs a passkey', async () => {
  const { assent, upstream, device } = await place({ editable: undefined })
  const asked = await asks(assent)
  const content = { choice: 'always_allow/tool/revoked/this' }
  expect((await send(assent, asked, await signFor(assent, asked, device, { content }), content)).kind).toBe('kept')
  expect((await upstream.run(aCall(), 'walk-1')).kind).toBe('done')

  const grant = (await assent.approvals.list(alice, 10))[0]
  expect(grant?.given?.through).toBe('passkey')
  // The same grant, as if it had been given on a page.
  await assent.store.grants.saveIfUnchanged({
    ...(grant as NonNullable<typeof grant>),
    version: (grant?.version ?? 0) + 1,
    given: { as: alice, through: 'page' },
  })
  expect((await upstream.run(aCall(), 'walk-2')).kind).toBe('question')
  expect(upstream.sent).toHaveLength(1)
})

test('nobody signs what would be refused, what is settled, or without a passkey', async () => {
  const { assent, passkey } = await place()
  const person = { participant: alice, groups: [] }
  const asked = await asks(assent)
  expect(await assent.beginSigning(asked.id, person, yes({ choice: 'nonsense' }))).toMatchObject({ kind: 'invalid' })
  await assent.passkeys.revokeAsOperator(passkey.id)
  expect(await assent.beginSigning(asked.id, person, yes())).toEqual({ kind: 'no-passkey' })
  await assent.answer(asked.id, { ...person, via: 'page' }, { action: 'decline' })
  expect(await assent.beginSigning(asked.id, person, yes())).toMatchObject({ kind: 'late' })
})

test('a rule that needs passkeys where browsers make none is refused at the start, and at a reload', async () => {
  const rules = [{ decide: 'ask', answer: 'passkey' } as const]
  await expect(anAssent({ publicUrl: 'http://127.0.0.1:4180', policy: { rules } })).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining('such as http://localhost:4180.'),
  })
  const assent = await anAssent({ publicUrl: 'http://127.0.0.1:4180' })
  const { policy } = (await anAssent({ publicUrl: passkeyUrl, policy: { rules } })).approvals
  await expect(assent.approvals.usePolicy(policy)).rejects.toMatchObject({ code: 'bad_config' })
})
