import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import { guardedFetch } from '../../src/base/guarded-fetch.ts'
import { type SlackOptions, slackChannel } from '../../src/channels/slack/index.ts'
import type { Assent } from '../../src/index.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { createWeb } from '../../src/web/index.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { asking, person } from '../support/approval/voting.ts'
import { anAssent, getExisting } from '../support/assents.ts'

const signingSecret = 'what Slack signs with'
const publicUrl = 'http://localhost:4180'
const carol = person('carol')

interface Sent {
  readonly method: string
  readonly body: {
    readonly channel: string
    readonly ts?: string
    readonly user?: string
    readonly text: string
    readonly blocks?: readonly Block[]
  }
}

interface Block {
  readonly text?: { readonly type: string; readonly text: string }
  readonly elements?: readonly { readonly action_id: string; readonly value?: string; readonly url?: string }[]
}

/** Slack's Web API as far as it is used, with its checks of token, type and size. `errors` are answered first. */
async function aSlack(...errors: readonly string[]) {
  const sent: Sent[] = []
  const failing = [...errors]
  let hold: Promise<void> = Promise.resolve()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const method = (request.url ?? '').replace('/api/', '')
    const problem = problemWith(request.headers, body) ?? failing.shift()
    if (problem === undefined) sent.push({ method, body })
    const reply = problem ? { ok: false, error: problem } : { ok: true, channel: body.channel, ts: `${sent.length}.0` }
    await hold
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, sent, holdBack }

  /** Answers nothing until the function that it gives is called. */
  function holdBack(): () => void {
    let release = () => {}
    hold = new Promise((resolve) => (release = resolve))
    return release
  }
}

function problemWith(headers: Record<string, unknown>, { text, blocks = [] }: Sent['body']): string | undefined {
  if (headers.authorization !== 'Bearer xoxb-token') return 'invalid_auth'
  if (headers['content-type'] !== 'application/json; charset=utf-8') return 'invalid_post_type'
  const isLong = blocks.some((block) => (block.text?.text.length ?? 0) > 3_000)
  return text === '' || isLong || blocks.length > 50 ? 'invalid_blocks' : undefined
}

const buttons: Partial<SlackOptions> = {
  details: true,
  signingSecret,
  team: 'T1',
  people: { UALICE: alice, UBOB: bob, UCAROL: carol },
}

async function anAssentIn(slack: { readonly api: string }, rule: object, options: Partial<SlackOptions> = {}) {
  const clock = fixedClock('2026-05-01T10:00:00Z')
  const channel = slackChannel({
    token: 'xoxb-token',
    to: { [bob]: ['UBOB'], 'group:payments': ['CPAY'] },
    api: slack.api,
    fetch: guardedFetch({ reach: 'anywhere' }),
    retries: [2_000],
    clock,
    ...options,
  })
  const assent = await anAssent({ clock, channels: [channel], publicUrl, policy: asking(rule) })
  const failed: string[] = []
  assent.events.listen((news) => {
    if (news.kind === 'channel-failed') failed.push((news.error as Error).message)
  })
  return { assent, clock, failed, channel }
}

async function ask({ approvals }: Assent, call: Partial<ToolCall> = {}) {
  const approval = await approvals.approve({ call: aCall(call), walkId: 'w1' })
  if (approval.kind !== 'question') throw new Error(approval.kind)
  return approval.elicitation
}

interface Pressing {
  readonly user?: string
  readonly team?: string
  readonly choice?: string
  readonly at?: Date
  readonly secret?: string
  readonly name?: string
}

/** What Slack sends when somebody presses a button. */
async function press(assent: Assent, id: string, given: Pressing = {}): Promise<number> {
  const { user = 'UBOB', team = 'T1', choice = 'allow_once', at = assent.clock.now(), secret = signingSecret } = given
  const payload = {
    type: 'block_actions',
    user: { id: user },
    team: { id: team },
    channel: { id: 'CPAY' },
    actions: [{ action_id: choice, value: id }],
  }
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const time = String(Math.floor(at.getTime() / 1_000))
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${signature}`,
  }
  const web = createWeb(assent)
  onTestFinished(() => web.close())
  const request = new Request(`${publicUrl}/channels/${given.name ?? 'slack'}`, { method: 'POST', headers, body })
  return (await web.fetch(request)).status
}

const stateOf = async (assent: Assent, { id }: { id: Parameters<Assent['get']>[0] }) =>
  (await getExisting(assent, id)).state

const actionsIn = ({ body }: Sent) => body.blocks?.flatMap(({ elements = [] }) => elements.map((one) => one.action_id))

describe('Slack', () => {
  test('gets a link and nothing of the call, and learns when it is settled', async () => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob] })
    const asked = await ask(assent)
    await expect.poll(() => slack.sent.length).toBe(1)
    const [posted] = slack.sent as [Sent]
    expect(posted).toMatchObject({ method: 'chat.postMessage', body: { channel: 'UBOB' } })
    expect(posted.body.text).toBe('files needs your approval')
    expect(actionsIn(posted)).toEqual(['open'])
    expect(JSON.stringify(posted)).toContain(`${publicUrl}/elicit/${asked.id}/approve`)
    expect(JSON.stringify(posted)).not.toMatch(/notes.txt|write_file|claude-code/)
    await assent.answer(asked.id, { participant: bob, groups: [], via: 'page' }, { action: 'decline' })
    await expect.poll(() => slack.sent.length).toBe(2)
    expect(slack.sent[1]).toMatchObject({ method: 'chat.update', body: { channel: 'UBOB', ts: '1.0' } })
    expect(slack.sent[1]?.body.text).toBe('files needs your approval: answered')
  })

  test('a message that is still being sent when its question is settled is changed afterwards', async () => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob] })
    const release = slack.holdBack()
    const asked = await ask(assent)
    await expect.poll(() => slack.sent.length).toBe(1)
    await assent.answer(asked.id, { participant: bob, groups: [], via: 'page' }, { action: 'decline' })
    release()
    await expect.poll(() => slack.sent.map(({ method }) => method)).toEqual(['chat.postMessage', 'chat.update'])
  })

  test('shows the whole call with buttons, and a press of an approver answers it as a channel', async () => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob], answer: 'channel' }, buttons)
    const asked = await ask(assent)
    await expect.poll(() => slack.sent.length).toBe(1)
    expect(actionsIn(slack.sent[0] as Sent)).toEqual(['allow_once', 'deny', 'open'])
    const words = slack.sent[0]?.body.blocks?.[1]?.text?.text
    expect(words).toContain('path: /tmp/notes.txt')
    expect(words).toContain('content: hello')
    expect(await press(assent, asked.id)).toBe(200)
    expect(await stateOf(assent, asked)).toMatchObject({
      kind: 'answered',
      answer: { action: 'accept', content: { choice: 'allow_once' } },
      by: { participant: bob, via: 'channel' },
    })
    await expect.poll(() => slack.sent.at(-1)?.method).toBe('chat.update')
  })

  test('without a signing secret it shows the call and a link, and no button that could not work', async () => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob], answer: 'channel' }, { details: true })
    const asked = await ask(assent)
    await expect.poll(() => slack.sent.length).toBe(1)
    expect(slack.sent[0]?.body.blocks?.[1]?.text?.text).toContain('path: /tmp/notes.txt')
    expect(actionsIn(slack.sent[0] as Sent)).toEqual(['open'])
    expect(await press(assent, asked.id)).toBe(401)
    expect(await stateOf(assent, asked)).toMatchObject({ kind: 'open' })
  })

  test('a no is a no', async () => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob], answer: 'client' }, buttons)
    const asked = await ask(assent)
    await press(assent, asked.id, { choice: 'deny' })
    expect(await stateOf(assent, asked)).toMatchObject({ kind: 'answered', answer: { action: 'decline' } })
  })

  test.each([
    ['the rule wants a page', { answer: 'page' }, {}],
    ['an argument hides something', { answer: 'channel' }, { arguments: { path: '/tmp/\u202etxt' } }],
    ['the call is too long to be shown', { answer: 'channel' }, { arguments: { path: 'x'.repeat(3_001) } }],
  ])('has no buttons where %s', async (_, rule, call) => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob], ...rule }, buttons)
    const asked = await ask(assent, call)
    await expect.poll(() => slack.sent.length).toBe(1)
    expect(actionsIn(slack.sent[0] as Sent)).toEqual(['open'])
    expect(slack.sent[0]?.body.blocks).toHaveLength(2)
    if (rule.answer !== 'page') return
    // A press that Slack never offered.
    expect(await press(assent, asked.id)).toBe(200)
    expect(await stateOf(assent, asked)).toEqual({ kind: 'open' })
    expect(slack.sent.at(-1)).toMatchObject({ method: 'chat.postEphemeral', body: { user: 'UBOB' } })
  })

  test.each<[string, Pressing, number]>([
    ['forged', { secret: 'guessed' }, 401],
    ['signed with no secret', { secret: '' }, 401],
    ['old', { at: new Date('2026-05-01T09:54:59Z') }, 401],
    ['from the future', { at: new Date('2026-05-01T10:05:01Z') }, 401],
    ['sent to another channel', { name: 'webhook' }, 401],
    ['by a Slack user whom nobody knows', { user: 'UEVE' }, 200],
    ['by a name that every object has', { user: 'constructor' }, 200],
    ['by the requester', { user: 'UALICE' }, 200],
    ['by somebody who is not asked', { user: 'UCAROL' }, 200],
    ['from another workspace', { team: 'T2' }, 200],
    ['of another kind', { choice: 'always_allow/tool/hour/this' }, 200],
  ])('a press that is %s answers nothing', async (_, given, status) => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob], answer: 'channel' }, buttons)
    const asked = await ask(assent)
    expect(await press(assent, asked.id, given)).toBe(status)
    expect(await stateOf(assent, asked)).toEqual({ kind: 'open' })
  })

  test('a press that is replayed changes nothing', async () => {
    const slack = await aSlack()
    const { assent } = await anAssentIn(slack, { approvers: [bob], answer: 'channel' }, buttons)
    const asked = await ask(assent)
    await press(assent, asked.id, { choice: 'deny' })
    const settled = await stateOf(assent, asked)
    expect(await press(assent, asked.id, { choice: 'allow_once' })).toBe(200)
    expect(await stateOf(assent, asked)).toEqual(settled)
    expect(slack.sent.map(({ body }) => body.text)).toContain('It was answered or had ended before.')
  })

  test('a press after an edit does not count for what was not shown', async () => {
    const slack = await aSlack()
    const rule = { approvers: [bob, carol], answer: 'channel', quorum: 2, editable: ['content'] }
    const { assent } = await anAssentIn(slack, rule, buttons)
    const asked = await ask(assent)
    const content = { choice: 'allow_once', edit_path: '/tmp/notes.txt', edit_content: 'changed' }
    const edited = await assent.answer(
      asked.id,
      { participant: carol, groups: [], via: 'page' },
      { action: 'accept', content },
    )
    expect(edited.kind).toBe('counted')
    await press(assent, asked.id)
    expect(await stateOf(assent, asked)).toEqual({ kind: 'open' })
    await expect.poll(() => slack.sent.at(-1)?.method).toBe('chat.postEphemeral')
  })

  test('what Slack refuses for now is sent again, what it refuses for good is told in a word', async () => {
    const busy = await aSlack('ratelimited')
    const first = await anAssentIn(busy, { approvers: [bob] })
    await ask(first.assent)
    await expect
      .poll(() => {
        first.clock.advance(2_000)
        return busy.sent.length
      })
      .toBe(1)
    const strict = await aSlack('channel_not_found')
    const second = await anAssentIn(strict, { approvers: [bob] })
    await ask(second.assent)
    await expect.poll(() => second.failed).toEqual(['Slack refused it: channel_not_found (after 1 attempt)'])
  })

  test('many questions at once are one message without buttons', async () => {
    const slack = await aSlack()
    const { assent, clock } = await anAssentIn(slack, { approvers: ['group:payments'], answer: 'channel' }, buttons)
    for (let count = 0; count < 23; count += 1) await ask(assent, { arguments: { path: `/tmp/${count}` } })
    await expect.poll(() => slack.sent.length).toBe(1)
    clock.advance(20_000)
    await expect.poll(() => slack.sent.length).toBe(2)
    expect(slack.sent[1]?.body).toMatchObject({ channel: 'CPAY', text: '22 questions wait for you' })
    expect(slack.sent[1]?.body.blocks?.at(-1)?.text?.text).toBe('And 2 more, in your inbox.')
    expect(actionsIn(slack.sent[1] as Sent)).toEqual([])
  })

  test.each<[Partial<SlackOptions>, string]>([
    [{ token: '' }, 'needs a bot token'],
    [{ signingSecret }, 'need `signingSecret`, `people` and `team`'],
    [{ signingSecret, people: {}, team: 'T1' }, 'need `details: true`'],
  ])('settings that cannot work are refused: %j', (options, message) => {
    expect(() => slackChannel({ token: 'x', to: {}, ...options })).toThrow(message)
  })
})
