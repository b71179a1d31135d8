import { once } from 'node:events'
import { createServer } from 'node:http'
import { createAssent, localRequester } from 'assent'
import { createWeb } from 'assent/web'
import { termsPage } from './terms-page.ts'

const { PORT = '4181' } = process.env
const assent = await createAssent({ store: 'memory:', publicUrl: `http://127.0.0.1:${PORT}` })
const web = createWeb(assent, { pages: { terms: termsPage } })
const server = createServer(web.node).listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')

const { elicitation } = await assent.ask({
  question: {
    mode: 'url',
    message: 'Backups are kept for 30 days.',
    page: 'terms',
    schema: { type: 'object', properties: { name: { type: 'string', minLength: 2 } }, required: ['name'] },
  },
  origin: { server: 'backup' },
  requester: localRequester,
})
console.log(`Open this first, once: ${await web.enrollLink()}`)
console.log(`Then answer here: ${assent.linkTo(elicitation.id, 'terms')}`)

const { state } = await assent.wait(elicitation.id)
console.log(state.kind === 'answered' ? JSON.stringify(state.answer) : state.kind)
// Waits for the page that tells the person that it is done.
await new Promise((resolve) => server.close(resolve))
await assent.close()
