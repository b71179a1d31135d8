import { expect, test } from 'vitest'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { serverStores } from '../support/stores.ts'
import { balanced } from './balanced.ts'
import { answerTo, beginSession, callTool, cancel, type SessionCall } from './raw-session.ts'

const form = { elicitation: { form: {} } }
const redis = serverStores.redis as () => Promise<string>
const build = { name: 'up__build', arguments: {} }

/** The next question that is sent on the stream of a call. */
async function questionOf(call: SessionCall): Promise<string> {
  const { id, method } = await call.next()
  expect(method).toBe('elicitation/create')
  return String(id)
}

const resultOf = async (call: SessionCall) => (await call.next()).result?.content?.[0]?.text
const saying = (branch: string) => ({ action: 'accept', content: { branch } })

test('attack: a late answer to a question of a session that was closed meanwhile answers no later question', async () => {
  const { url } = await gated(
    { up: await askingUpstreams['2025 over HTTP']() },
    { withLogin: true, http: { limits: { sessionsPerOwner: 1 } }, assentOptions: { store: await redis() } },
  )
  const as = { url, token: 'alice/desk' }
  const session = { ...as, session: await beginSession(as, form) }
  const first = await callTool(session, 10, build)
  const old = await questionOf(first)
  await cancel(session, 10)
  // The only session that she may have is now another one, and then the first again, built anew.
  await beginSession(as, form)
  const second = await callTool(session, 11, build)
  const asked = await questionOf(second)
  expect(asked).not.toBe(old)
  expect(await answerTo(session, old, saying('stale'))).toBe(409)
  expect(await answerTo(session, asked, saying('fresh'))).toBe(202)
  expect(await resultOf(second)).toBe('built fresh')
})

test('attack: a late answer that reaches another instance than the one that closed the session answers nothing there', async () => {
  const { instances } = await balanced(
    await redis(),
    { up: await askingUpstreams['2025 over HTTP']() },
    { withLogin: true, http: { limits: { sessionsPerOwner: 1 } } },
  )
  const [a, b] = instances
  const as = { url: a.url, token: 'alice/desk' }
  const session = { ...as, session: await beginSession(as, form) }
  const elsewhere = { ...session, url: b.url }
  const first = await callTool(session, 10, build)
  const old = await questionOf(first)
  await cancel(session, 10)
  await beginSession(as, form)
  const second = await callTool(session, 11, build)
  const asked = await questionOf(second)
  await answerTo(elsewhere, old, saying('stale'))
  expect(await answerTo(elsewhere, asked, saying('fresh'))).toBe(202)
  expect(await resultOf(second)).toBe('built fresh')
})
