import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import type { Assent } from '../../src/index.ts'
import { connect11, connectOld } from '../support/asking/asking-clients.ts'
import { type RawCall, type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'
import { answerOnPage, approving } from '../support/server/approving.ts'
import { nextAsked, participantOf, say } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'

const alice = participantOf('alice')
const bob = participantOf('bob')
const live = { env: 'live' }
const key = 'approval of the call'
const mine: RuleSettings[] = [{ decide: 'ask', reason: 'Live is live.' }]
const bobs: RuleSettings[] = [{ decide: 'ask', approvers: [bob] }]
const withLogin = true

const yes = { [key]: { action: 'accept', content: { choice: 'allow_once' } } }
const outcome = ({ result }: RawReply) => result?._meta?.['assent/outcome']

function stateIn({ result }: RawReply): string {
  if (result?.requestState === undefined) throw new Error(`no state in ${JSON.stringify(result)}`)
  return result.requestState
}

const deploy = (url: URL, call: Partial<RawCall> = {}) =>
  rawCall(url, { name: 'deploy', arguments: live, token: 'alice/laptop', ...call })

/** The call waits for bob, and bob says yes to it. */
async function approvedByBob({ url, assent }: { url: URL; assent: Assent }): Promise<void> {
  const asked = nextAsked(assent)
  expect(outcome(await deploy(url))).toMatchObject({ status: 'pending' })
  await answerOnPage(assent, await asked, bob)
}

describe('a yes to one call, and then another is sent', () => {
  const others: Record<string, Partial<RawCall>> = {
    'with another argument': { arguments: { env: 'prod' } },
    'with one argument more': { arguments: { env: 'live', note: 'x' } },
    'to another tool': { name: 'charge', arguments: { amount: 5 } },
    'by another client of the same person': { token: 'alice/phone' },
    'by another person': { token: 'carol/laptop' },
  }

  test.each(Object.entries(others))('%s: its state is refused (M26-08)', async (_, other) => {
    const { url, deeds } = await approving({ rules: mine, withLogin })
    const requestState = stateIn(await deploy(url))
    const reply = await deploy(url, { requestState, inputResponses: yes, ...other })
    expect(reply.error).toMatchObject({ code: -32_602, message: 'Invalid or expired requestState' })
    expect(deeds).toEqual([])
    await deploy(url, { requestState, inputResponses: yes })
    expect(deeds).toEqual(['deploy live'])
  })

  test.each(Object.entries(others))('%s: it waits for a yes of its own', async (_, other) => {
    const { url, deeds, assent } = await approving({ rules: bobs, withLogin })
    await approvedByBob({ url, assent })
    expect(outcome(await deploy(url, other))).toMatchObject({ status: 'pending' })
    expect(deeds).toEqual([])
    expect((await deploy(url)).result?.isError).not.toBe(true)
    expect(deeds).toEqual(['deploy live'])
  })

  test('the order in which arguments are written makes no other call', async () => {
    const { url, deeds, assent } = await approving({ rules: bobs, withLogin })
    const asked = nextAsked(assent)
    await deploy(url, { arguments: { env: 'live', note: 'x' } })
    await answerOnPage(assent, await asked, bob)
    await deploy(url, { arguments: { note: 'x', env: 'live' } })
    expect(deeds).toEqual(['deploy live: x'])
  })
})

describe('a yes, and then the server is another one', () => {
  test.each([
    ['mine', mine],
    ['of someone else', bobs],
  ])('its tool says something else: a yes %s does not count', async (_, rules) => {
    const before = await approving({ rules, withLogin, description: 'Deploys to a copy.' })
    const after = await approving({ assent: before.assent, withLogin, description: 'Deploys, and mails everyone.' })
    if (rules === bobs) {
      await approvedByBob(before)
      expect(outcome(await deploy(after.url))).toMatchObject({ status: 'pending' })
    } else {
      const requestState = stateIn(await deploy(before.url))
      // Answered at the new one, and answered at the old one and brought to the new one.
      const again = await deploy(after.url, { requestState, inputResponses: yes })
      expect(again.result?.inputRequests).toHaveProperty([key])
      const other = { arguments: { env: 'prod' } }
      const asking = nextAsked(before.assent)
      const second = stateIn(await deploy(before.url, other))
      await answerOnPage(before.assent, await asking, alice)
      const brought = await deploy(after.url, { ...other, requestState: second })
      expect(brought.result?.inputRequests).toHaveProperty([key])
    }
    expect(after.deeds).toEqual([])
    expect(before.deeds).toEqual([])
  })

  test('a lasting yes is suspended', async () => {
    const before = await approving({ rules: mine, withLogin, description: 'Deploys to a copy.' })
    const after = await approving({ assent: before.assent, withLogin, description: 'Deploys, and mails everyone.' })
    const always = { [key]: { action: 'accept', content: { choice: 'always_allow/tool/revoked/all' } } }
    await deploy(before.url, { requestState: stateIn(await deploy(before.url)), inputResponses: always })
    expect(before.deeds).toHaveLength(1)
    expect((await deploy(after.url)).result?.inputRequests).toHaveProperty([key])
    expect(after.deeds).toEqual([])
  })

  test('a handler that began under the old tool does not go on under the new one', async () => {
    const renaming = (description: string, given?: Assent) =>
      approving({
        ...(given === undefined ? { rules: mine } : { assent: given }),
        withLogin,
        more: (server, { approvedTool }, deeds) => {
          const inputSchema = z.object({})
          const rename = approvedTool(async (_: object, ask) => {
            const { name } = await ask.form('To what?', z.object({ name: z.string() }), { key: 'name' })
            deeds.push(`rename to ${name}`)
            return say(`renamed to ${name}`)
          })
          server.registerTool('rename', { description, inputSchema }, rename)
        },
      })
    const before = await renaming('Renames a copy.')
    const after = await renaming('Renames the original.', before.assent)
    const rename = (url: URL, call: Partial<RawCall> = {}) => deploy(url, { name: 'rename', arguments: {}, ...call })
    const first = stateIn(await rename(before.url))
    const requestState = stateIn(await rename(before.url, { requestState: first, inputResponses: yes }))
    const inputResponses = { name: { action: 'accept', content: { name: 'x' } } }
    const reply = await rename(after.url, { requestState, inputResponses })
    expect(reply.result?.inputRequests).toHaveProperty([key])
    expect(after.deeds).toEqual([])
    await rename(before.url, { requestState, inputResponses })
    expect(before.deeds).toEqual(['rename to x'])
  })
})

describe('a yes, and then the rule is another one', () => {
  const stricter: Record<string, RuleSettings> = {
    'other words': { decide: 'ask', reason: 'Live is very live.' },
    'other approvers': { decide: 'ask', approvers: [participantOf('dora')] },
    'on a page': { decide: 'ask', answer: 'page' },
    denied: { decide: 'deny' },
  }

  test.each(Object.entries(stricter))('after a restart (%s): the old yes runs nothing', async (_, rule) => {
    const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
    for (const rules of [mine, bobs]) {
      const before = await approving({ assent: await anAssent({ store, policy: { rules } }), withLogin })
      const after = await approving({ assent: await anAssent({ store, policy: { rules: [rule] } }), withLogin })
      if (rules === bobs) {
        await approvedByBob(before)
        expectStopped(await deploy(after.url))
      } else {
        const requestState = stateIn(await deploy(before.url))
        expectStopped(await deploy(after.url, { requestState, inputResponses: yes }))
        expectStopped(await deploy(after.url, { requestState }))
      }
      expect([...before.deeds, ...after.deeds]).toEqual([])
    }
  })

  test.each(Object.entries(stricter))('in the same process (%s): the old yes runs nothing', async (_, rule) => {
    const { url, deeds, assent } = await approving({ rules: mine, withLogin })
    const requestState = stateIn(await deploy(url))
    await assent.approvals.usePolicy(readPolicy({ rules: [rule] }))
    expectStopped(await deploy(url, { requestState, inputResponses: yes }))
    expect(deeds).toEqual([])
  })
})

describe('the requester of a call that needs someone else', () => {
  test('cannot answer it, by whichever way', async () => {
    const { url, deeds, assent } = await approving({ rules: bobs, withLogin })
    const asking = nextAsked(assent)
    for (const inputResponses of [yes, { ticket: yes[key] }]) {
      expect(outcome(await deploy(url, { inputResponses }))).toMatchObject({ status: 'pending' })
    }
    const { id } = await asking
    const accept = { action: 'accept', content: { choice: 'allow_once' } } as const
    const person = { participant: alice, groups: [], client: 'laptop' }
    for (const via of ['client', 'page', 'inbox', 'terminal', 'hub'] as const) {
      await expect(assent.answer(id, { ...person, via }, accept)).rejects.toMatchObject({
        code: 'participant_mismatch',
      })
    }
    // Nor does it help to be in a group of bob's name.
    const posing = { ...onPage(alice), groups: [bob, 'bob'] }
    await expect(assent.answer(id, posing, accept)).rejects.toMatchObject({ code: 'participant_mismatch' })
    expect((await assent.get(id))?.state.kind).toBe('open')
    await deploy(url, { inputResponses: yes })
    expect(deeds).toEqual([])
  })

  test.each([
    ['SDK 1.32', connectOld],
    ['SDK 2.4', connect11],
  ])('nor can bob’s own client: he must be seen (%s)', async (_, how) => {
    const { connect, url, deeds, assent } = await approving({ rules: bobs, withLogin })
    const asking = nextAsked(assent)
    await deploy(url)
    const bobsClient = await connect(how, { token: 'bob/laptop' })
    bobsClient.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
    const { id } = await asking
    const answering = { participant: bob, groups: [], via: 'client', client: 'laptop' } as const
    const accept = { action: 'accept', content: { choice: 'allow_once' } } as const
    await expect(assent.answer(id, answering, accept)).rejects.toMatchObject({ code: 'channel_refused' })
    await bobsClient.call('deploy', live)
    // His own call he may approve himself, by his client; alice's still waits.
    expect(deeds).toEqual(['deploy live'])
    expect((await assent.get(id))?.state.kind).toBe('open')
  })
})

describe('half a yes', () => {
  const halves: Record<string, unknown> = {
    'accept without content': { action: 'accept' },
    'accept without a choice': { action: 'accept', content: { reason: 'go' } },
    'accept with a choice of its own': { action: 'accept', content: { choice: 'allow' } },
    'accept with true': { action: 'accept', content: { choice: true } },
    'accept by inheritance': { action: 'accept', content: { __proto__: { choice: 'allow_once' } } },
    'another word': { action: 'yes', content: { choice: 'allow_once' } },
    'decline with a yes in it': { action: 'decline', content: { choice: 'allow_once' } },
    nothing: null,
  }

  test.each(Object.entries(halves))('%s runs nothing', async (_, half) => {
    const { url, deeds } = await approving({ rules: mine, withLogin })
    let requestState: string | undefined = stateIn(await deploy(url))
    for (let n = 0; n < 3 && requestState !== undefined; n++) {
      const reply: RawReply = await deploy(url, { requestState, inputResponses: { [key]: half } })
      expectStopped(reply)
      requestState = reply.result?.requestState
    }
    expect(deeds).toEqual([])
  })

  test('a yes that nobody asked for is none', async () => {
    const { url, deeds } = await approving({ rules: mine, withLogin })
    expect((await deploy(url, { inputResponses: yes })).result?.inputRequests).toHaveProperty([key])
    expect(deeds).toEqual([])
  })

  test('to a page that must be seen, a client’s word is none (E11-19)', async () => {
    const { url, deeds } = await approving({ rules: [{ decide: 'ask', answer: 'page' }], withLogin })
    let requestState = stateIn(await deploy(url))
    for (let n = 0; n < 3; n++) requestState = stateIn(await deploy(url, { requestState, inputResponses: yes }))
    expect(deeds).toEqual([])
  })
})

test('an edit that the rule does not leave to the approver is not made', async () => {
  const { url, deeds } = await approving({ rules: [{ decide: 'ask', editable: ['note'] }], withLogin })
  const requestState = stateIn(await deploy(url))
  const content = { choice: 'allow_once', edit_env: 'prod', edit_note: 'ok' }
  await deploy(url, { requestState, inputResponses: { [key]: { action: 'accept', content } } })
  expect(deeds).toEqual(['deploy live: ok'])
})

test('a reply lost after the spend: the same state again is told that it ran, and how it ended', async () => {
  const { url, deeds, assent } = await approving({ rules: mine, withLogin })
  const requestState = stateIn(await deploy(url))
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => deploy(url, { requestState, inputResponses: yes })),
  )
  expect(replies.filter((reply) => outcome(reply)?.status === 'already-run')).toHaveLength(49)
  expect(outcome(await deploy(url, { requestState, inputResponses: yes }))).toEqual({
    status: 'already-run',
    reason: 'done',
  })
  expect(deeds).toEqual(['deploy live'])
  expect(await openFor(assent)).toEqual([])
})

const openFor = (assent: Assent) => assent.listOpen({ participant: alice, groups: [] }, 10)

/** It did not run: it is asked again, or refused. */
function expectStopped({ result, error }: RawReply): void {
  expect(error).toBeUndefined()
  expect(result?.isError === true || result?.resultType === 'input_required').toBe(true)
}
