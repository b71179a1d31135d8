import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { chatChannel } from '../../examples/guides/channel/chat-channel.ts'
import { alice, anAsk, onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { freePort } from '../support/free-port.ts'
import { listening, until } from '../support/server/servers.ts'
import { pathIn } from '../support/test-browser.ts'
import { browserAt, start } from './programs.ts'

/** A chat room that remembers what it was told. */
async function aRoom(status = 204) {
  const told: string[] = []
  const url = await listening(async (request: IncomingMessage, reply) => {
    told.push(((await json(request)) as { text: string }).text)
    reply.writeHead(status).end()
  })
  return { url, told }
}

describe('the channel of the guide', () => {
  test('tells the room who asks and where, and then how it ended; never what is asked', async () => {
    const room = await aRoom()
    const assent = await anAssent({ channels: [chatChannel(room.url)] })
    const { elicitation } = await assent.ask(anAsk())
    await assent.answer(elicitation.id, onPage(alice), { action: 'decline' })

    await until(() => room.told.length === 2)
    const link = assent.linkTo(elicitation.id, 'form')
    expect(room.told.sort()).toEqual([
      `The question of github is answered: ${link}`,
      `github needs an answer by ${elicitation.expiresAt.toISOString()}: ${link}`,
    ])
  })

  test('does not stand in the way of the question when the room is down', async () => {
    const room = await aRoom(503)
    const assent = await anAssent({ channels: [chatChannel(room.url)] })
    const failed = new Promise((resolve) =>
      assent.events.listen((news) => news.kind === 'channel-failed' && resolve(String(news.error))),
    )
    const { elicitation } = await assent.ask(anAsk())
    expect(elicitation.state.kind).toBe('open')
    expect(await failed).toBe('Error: The chat room answered 503.')
  })
})

test('the program asks, tells the room, and prints what was answered on the page', async () => {
  const [room, port] = [await aRoom(), await freePort()]
  const program = start('channel/main.ts', [], { ROOM: room.url.href, PORT: port })
  const [, enroll = ''] = await program.prints(/once: (\S+)/)
  const browser = browserAt(port)
  await browser.post(pathIn(enroll))
  await until(() => room.told.length === 1)

  const page = pathIn(/http\S+$/.exec(room.told[0] ?? '')?.[0] ?? '')
  expect((await browser.get(page)).text).toContain('Deploy to production?')
  await browser.post(page, { answer: 'accept' })
  await program.prints(/^accept$/m)
  await until(() => room.told.length === 2)
  expect(room.told[1]).toContain('is answered')
})
