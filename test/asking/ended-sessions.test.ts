import { describe, expect, test } from 'vitest'
import { askerLeftAt } from '../../src/elicitation/elicitation.ts'
import type { Elicitation } from '../../src/index.ts'
import { connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { askingGateway, connectAs, openQuestions } from '../support/client/replay.ts'
import { gated, newServer } from '../support/gateway/gateways.ts'
import { connectByPipe } from '../support/gateway/pipes.ts'
import { answerOnPage } from '../support/server/approving.ts'
import { localPage, nextAsked, until } from '../support/server/servers.ts'

const client = { info: { name: 'mcporter', version: '0.12.3' }, sees: 'nothing' } as const
const args = { path: '/tmp/notes.txt' }

const isMarked = async ({ assent }: Pick<Awaited<ReturnType<typeof askingGateway>>, 'assent'>) => {
  const [asked] = await openQuestions(assent)
  return asked !== undefined && askerLeftAt(asked) !== undefined
}

describe.each([
  ['2025-06-18', connect06],
  ['2025-11-25', connect11],
])('a question of a session of %s that ended', (_, how) => {
  test('is marked and stays open; the same call in the next session takes the mark away, and its yes runs it', async () => {
    const place = await askingGateway()
    const first = await connectAs(place, { ...client, how })
    expect((await first.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
    expect(await isMarked(place)).toBe(false)
    await first.endSession()
    await until(() => isMarked(place))

    const second = await connectAs(place, { ...client, how })
    expect((await second.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
    expect(await isMarked(place)).toBe(false)
    await second.endSession()
    await until(() => isMarked(place))

    const [asked, ...more] = await openQuestions(place.assent)
    expect(more).toEqual([])
    await answerOnPage(place.assent, asked as Elicitation, localPage)
    const third = await connectAs(place, { ...client, how })
    expect((await third.call('write_file', args)).text).toContain('written')
    expect(place.deeds).toEqual(['write_file'])
  })

  test('is not marked while another session of the client waits for it', async () => {
    const place = await askingGateway()
    const [first, second] = [await connectAs(place, { ...client, how }), await connectAs(place, { ...client, how })]
    await first.call('write_file', args)
    await second.call('write_file', args)
    // A question that the second alone asked shows when its end was heard of.
    await second.call('write_file', { path: '/tmp/other.txt' })
    await second.endSession()
    const marks = async () => (await openQuestions(place.assent)).map((one) => askerLeftAt(one) !== undefined)
    await until(async () => (await marks()).includes(true))
    expect((await marks()).filter(Boolean)).toHaveLength(1)
    await first.endSession()
    await until(async () => (await marks()).every(Boolean))
  })

  test('is marked when its session ends while the call is held', async () => {
    const place = await askingGateway('5m')
    const first = await connectAs(place, { ...client, how })
    const asked = nextAsked(place.assent)
    const calling = first.call('write_file', args).catch(() => {})
    await asked
    await first.endSession()
    await until(() => isMarked(place))
    await first.close()
    await calling
  })

  test('is marked by a gateway that is closed in good order', async () => {
    const place = await askingGateway()
    const first = await connectAs(place, { ...client, how })
    await first.call('write_file', args)
    await place.gateway.close()
    await until(() => isMarked(place))
  })

  test('is marked when it is a form that waits in the inbox', async () => {
    const url = await newServer((server) => {
      server.registerTool(
        'fill',
        {},
        async () =>
          ({
            resultType: 'input_required',
            inputRequests: {
              one: {
                method: 'elicitation/create',
                params: {
                  mode: 'form',
                  message: 'Which?',
                  requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
                },
              },
            },
          }) as never,
      )
    })
    const place = await gated({ files: { url } }, { clocks: { hold: 50 as never } })
    const first = await place.connect(how, { only: 'files', info: client.info, elicitation: undefined })
    expect((await first.call('fill')).outcome).toMatchObject({ status: 'pending' })
    expect(await isMarked(place)).toBe(false)
    await first.endSession()
    await until(() => isMarked(place))
  })

  test('over a pipe is marked when the pipe is closed', async () => {
    const place = await askingGateway()
    const first = await connectByPipe(place.gateway, how, 'files', { info: client.info, elicitation: undefined })
    expect((await first.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
    expect(await isMarked(place)).toBe(false)
    await first.close()
    await until(() => isMarked(place))
  })
})

test('a client of 2026-07-28 has no session, and its questions no mark', async () => {
  const place = await askingGateway()
  const first = await connectAs(place, { ...client, how: connect26 })
  expect((await first.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
  await first.close()
  // Another client's question shows that the end of connections is heard of.
  const other = await connectAs(place, { info: { name: 'other', version: '1' }, sees: 'nothing', how: connect11 })
  await other.call('write_file', args)
  await other.endSession()
  const marked = async () => (await openQuestions(place.assent)).filter((one) => askerLeftAt(one) !== undefined)
  await until(async () => (await marked()).length > 0)
  expect((await marked()).map(({ requester }) => requester.client)).toEqual(['other'])
})
