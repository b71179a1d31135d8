import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Gateway, Waiting } from './assent.ts'
import type { Finding } from './findings.ts'
import type { Script, ToolUse } from './model/conversation.ts'

/** What is tried with each client, in the order of the table's columns. */
export const trials = {
  lists: 'lists the tools',
  allowed: 'allowed call',
  nobody: 'asked, nobody there',
  lateYes: 'yes in the inbox, then the same call',
  once: 'that yes counts once',
  heldYes: 'yes while it waits',
  no: 'no while it waits',
  form: "a server's form",
  page: '`answer: page`',
  url: "a server's page",
} as const

export type Trial = keyof typeof trials

export type Findings = Map<Trial, Finding>

const link = /http:\/\/127\.0\.0\.1:\d+\/elicit\/[\w-]+\/\w+/

/** The first session of a client: what runs by itself, and a question that nobody answers. */
export async function* firstSession(gateway: Gateway, findings: Findings): Script {
  const echo = yield { tool: 'everything__echo', arguments: { message: 'hello' } }
  findings.set('allowed', { ok: echo.includes('Echo: hello'), words: 'runs', read: echo })

  const asked = yield writeFile(gateway, 'late.txt')
  findings.set('nobody', readsLink(asked))
  return 'The first session is over.'
}

/** The second session, after the yes was given in the inbox: it belongs to the client, not to its session. */
export async function* secondSession(gateway: Gateway, findings: Findings): Script {
  const late = yield writeFile(gateway, 'late.txt')
  const ran = existsSync(join(gateway.data, 'late.txt')) && (await gateway.timesRun('write_file')) === 1
  findings.set('lateYes', { ok: ran, words: ran ? 'runs' : 'does not run', read: late })

  const again = yield writeFile(gateway, 'late.txt')
  const isOnce = link.test(again) && (await gateway.timesRun('write_file')) === 1
  findings.set('once', { ok: isOnce, words: isOnce ? 'asked again' : 'not asked again', read: again })

  const yes = yield* answered(gateway, writeFile(gateway, 'held.txt'), ({ id }) => gateway.allow(id))
  const goesOn = existsSync(join(gateway.data, 'held.txt'))
  findings.set('heldYes', { ok: goesOn, words: goesOn ? 'goes on' : 'does not go on', read: yes })

  const no = yield* answered(gateway, writeFile(gateway, 'no.txt'), ({ id }) => gateway.deny(id, 'not on a Friday'))
  const isTold = no.includes('not on a Friday') && !existsSync(join(gateway.data, 'no.txt'))
  findings.set('no', { ok: isTold, words: isTold ? 'reads the reason' : 'not told', read: no })

  yield* pages(gateway, findings)
  return 'The second session is over.'
}

/** What needs more than a yes or a no. */
async function* pages(gateway: Gateway, findings: Findings): AsyncGenerator<ToolUse, void, string> {
  const makeFolder = { tool: 'files__create_directory', arguments: { path: join(gateway.data, 'folder') } }
  const unanswered = yield makeFolder
  const [question] = await gateway.inbox()
  if (question !== undefined) await gateway.allow(question.id)
  const made = yield makeFolder
  const runs = link.test(unanswered) && existsSync(join(gateway.data, 'folder'))
  findings.set('page', { ok: runs, words: runs ? 'link, then runs' : 'not run', read: `${unanswered}\n${made}` })

  const askForm = { tool: 'everything__trigger-elicitation-request', arguments: {} }
  let form = yield* answered(gateway, askForm, () => gateway.fillForm())
  if (link.test(form)) form = yield askForm
  const isFilled = form.includes('User provided')
  findings.set('form', { ...readsLink(form), ...(isFilled && { ok: true, words: 'answered in the inbox' }) })

  const address = { url: 'http://127.0.0.1:9/visit', message: 'Please visit this page.', elicitationId: 'visit-1' }
  const visit = { tool: 'everything__trigger-url-elicitation', arguments: address }
  const visited = yield* answered(gateway, visit, () => gateway.confirm())
  const isAccepted = /User completed/.test(visited)
  findings.set('url', { ...readsLink(visited), ...(isAccepted && { ok: true, words: 'confirmed in the inbox' }) })
}

/** A call that somebody answers in the inbox while it is held. */
export async function* answered(
  gateway: Gateway,
  call: ToolUse,
  answer: (question: Waiting) => Promise<unknown>,
): AsyncGenerator<ToolUse, string, string> {
  const known = new Set((await gateway.inbox()).map(({ id }) => id))
  const answering = gateway.waiting(known).then((question) => question && answer(question))
  const read = yield call
  await answering
  return read
}

function writeFile(gateway: Gateway, name: string): ToolUse {
  return { tool: 'files__write_file', arguments: { path: join(gateway.data, name), content: 'hello' } }
}

function readsLink(read: string): Finding {
  const ok = link.test(read)
  return { ok, words: ok ? 'text and link' : 'no link', read }
}
