import { once } from 'node:events'
import { createServer } from 'node:http'
import { createAssent, localRequester } from 'assent'
import { createWeb } from 'assent/web'
import { chatChannel } from './chat-channel.ts'

const { ROOM = 'http://127.0.0.1:4190/hooks/approvals', PORT = '4181' } = process.env
const assent = await createAssent({
  store: 'memory:',
  publicUrl: `http://127.0.0.1:${PORT}`,
  channels: [chatChannel(new URL(ROOM))],
})
assent.events.listen((news) => {
  if (news.kind === 'channel-failed') console.error(news.error)
})
const web = createWeb(assent)
const server = createServer(web.node).listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
console.log(`Open this first, once: ${await web.enrollLink('/inbox')}`)

const { elicitation } = await assent.ask({
  question: { mode: 'url', message: 'Deploy to production?', page: 'confirm' },
  purpose: 'confirm',
  origin: { server: 'deploy' },
  requester: localRequester,
})
const { state } = await assent.wait(elicitation.id)
console.log(state.kind === 'answered' ? state.answer.action : state.kind)

// Waits for the page that tells the person that it is done.
await new Promise((resolve) => server.close(resolve))
await assent.close()
