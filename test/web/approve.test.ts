import { describe, expect, test } from 'vitest'
import type { Elicitation } from '../../src/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { signedInBrowser } from '../support/test-browser.ts'
import { allowOnce, approvalPlace, approvePath, waitingCall } from '../support/web/approvals.ts'
import { auditOf, type Place } from '../support/web/places.ts'

const stateOf = async ({ assent }: Place, { id }: Elicitation) => (await assent.get(id))?.state
const grantsOf = ({ assent }: Place) => assent.approvals.list(alice, 10)

async function isUntouched(place: Place, { id, version }: Elicitation) {
  expect((await place.assent.get(id))?.version).toBe(version)
  expect(await grantsOf(place)).toEqual([])
}

describe('an approval on its page', () => {
  test('says who asks, what, why, with which arguments, and how far a yes goes, the narrowest chosen', async () => {
    const place = await approvalPlace({ reason: 'Writes need your yes.' })
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    const { text, status } = await browser.get(approvePath(asked))
    expect(status).toBe(200)
    const order = [
      'asked by',
      '<h1>Run <bdi>write_file</bdi> on <bdi>files</bdi>?</h1>',
      '<code>write_file</code>',
      'Writes need your yes.',
      'Rule 1.',
      '/tmp/notes.txt',
      'value="allow_once" required checked',
      'value="decline"',
      'value="accept"',
      'Unanswered, nothing runs.',
    ].map((part) => text.indexOf(part))
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    expect(order).not.toContain(-1)
    expect(text.match(/<input [^>]* checked/g)).toEqual([
      expect.stringContaining('name="field.choice" value="allow_once"'),
      expect.stringContaining('name="denial" value=""'),
    ])
    expect(text).not.toContain('autofocus')
    // Approvals whose form a client may show are answered on the same page.
    expect(asked.question.mode).toBe('form')
    expect((await browser.get(`/elicit/${asked.id}/form`)).location).toBe(approvePath(asked))
  })

  test('allowed once, the call runs once and the page says what is next', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(asked))
    expect((await browser.post(approvePath(asked), allowOnce)).location).toBe(approvePath(asked))
    const { text } = await browser.get(approvePath(asked))
    expect(text).toContain('<h1>Allowed once</h1>')
    expect(text).toContain('go back to <bdi>Claude Code</bdi>')
    expect(text).not.toContain('/grants/')
    expect(await grantsOf(place)).toEqual([])
    expect(await stateOf(place, asked)).toMatchObject({
      answer: { action: 'accept', content: { choice: 'allow_once' } },
    })
  })

  test('allowed for a day, the page leads to the permission, and takes it back', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(asked))
    await browser.post(approvePath(asked), { ...allowOnce, 'field.choice': 'always_allow/tool/day/this' })
    const { text } = await browser.get(approvePath(asked))
    expect(text).toContain('Allow write_file for a day, for Claude Code (claude-code).')
    const [, revoke = ''] = /action="(\/grants\/[^"]+\/revoke)"/.exec(text) ?? []
    expect((await browser.post(revoke)).location).toBe('/grants')
    expect(await grantsOf(place)).toMatchObject([{ revoked: { by: alice } }])
  })

  test('denied, with a reason', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(asked))
    await browser.post(approvePath(asked), { ...allowOnce, answer: 'decline', 'field.reason': ' Not today. ' })
    expect(await stateOf(place, asked)).toMatchObject({ answer: { action: 'decline', reason: 'Not today.' } })
    expect((await browser.get(approvePath(asked))).text).toContain('You said no')
  })

  test('always denied, whatever was half edited', async () => {
    const place = await approvalPlace({ editable: ['path'] })
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(asked))
    const fields = { ...allowOnce, answer: 'decline', denial: 'always_deny/tool/revoked/this', 'field.edit_path': '' }
    expect((await browser.post(approvePath(asked), fields)).status).toBe(303)
    expect(await grantsOf(place)).toMatchObject([{ effect: 'deny', tool: 'write_file' }])
    expect((await browser.get(approvePath(asked))).text).toContain('<h1>Denied</h1>')
  })

  test('a no with a yes hidden in it is a no', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(asked))
    await browser.post(approvePath(asked), { ...allowOnce, answer: 'decline', denial: 'allow_once' })
    expect(await stateOf(place, asked)).toMatchObject({ answer: { action: 'decline' } })
  })
})

describe('edits', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      path: { type: 'string', title: 'A harmless title', maxLength: 20 },
      content: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      force: { type: 'boolean' },
    },
    required: ['path'],
  }
  const given = { path: '/tmp/a', content: 'one\ntwo\rthree', tags: ['x'] }
  const rule = { editable: ['path', 'content', 'tags', 'force'] }
  const sent = {
    ...allowOnce,
    'field.edit_path': '/tmp/a',
    // What a browser makes of it on its way.
    'field.edit_content': 'one\r\ntwo\r\nthree',
    'field.json_tags': '[\r\n  "x"\r\n]',
    'field.edit_force': '',
  }

  async function asked() {
    const place = await approvalPlace(rule)
    const question = await waitingCall(place, { inputSchema, arguments: given })
    const browser = await signedInBrowser(place, 'alice')
    const { text } = await browser.get(approvePath(question))
    return { place, question, browser, text }
  }

  test('what nobody touched is not an edit', async () => {
    const { place, question, browser } = await asked()
    expect((await browser.post(approvePath(question), sent)).status).toBe(303)
    const { text } = await browser.get(approvePath(question))
    expect(text).not.toContain('Changed before it runs')
    expect(await stateOf(place, question)).toMatchObject({ answer: { content: { edit_content: given.content } } })
    expect(await stateOf(place, question)).not.toHaveProperty('answer.content.edit_force')
  })

  test('what was changed is shown as before and after', async () => {
    const { question, browser } = await asked()
    const changed = { ...sent, 'field.edit_path': '/tmp/b', 'field.edit_force': 'true', 'field.json_tags': '["y"]' }
    expect((await browser.post(approvePath(question), changed)).status).toBe(303)
    const { text } = await browser.get(approvePath(question))
    expect(text).toMatch(/<del>.*\/tmp\/a.*→.*<ins>.*\/tmp\/b/s)
    expect(text).toMatch(/not given.*<ins>.*true/s)
  })

  test('what the tool would not take is kept on the page, with what is wrong', async () => {
    const { place, question, browser } = await asked()
    const bad = { ...sent, 'field.edit_path': `/tmp/${'x'.repeat(30)}`, 'field.reason': 'shorter' }
    const page = await browser.post(approvePath(question), bad)
    expect(page.status).toBe(422)
    expect(page.text).toContain(`/tmp/${'x'.repeat(30)}`)
    expect(page.text).toContain('value="shorter"')
    expect(page.text).toContain('at most 20')
    const noJson = await browser.post(approvePath(question), { ...sent, 'field.json_tags': '' })
    expect(noJson.status).toBe(422)
    expect(noJson.text).toContain('tags must be JSON.')
    const wrong = await browser.post(approvePath(question), { ...sent, 'field.json_tags': '[1]' })
    expect(wrong.status).toBe(422)
    await isUntouched(place, question)
  })

  test('fields are called as the arguments are, not as the server would like', async () => {
    const { text } = await asked()
    expect(text).not.toContain('A harmless title')
    expect(text).toContain('<bdi>path</bdi>')
  })

  test('attack: an argument that may not be changed is not, whatever is posted', async () => {
    const place = await approvalPlace({ editable: ['content'] })
    const question = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(question))
    const fields = {
      ...allowOnce,
      'field.edit_content': 'hello',
      'field.edit_path': '/etc/passwd',
      'field.path': '/etc',
    }
    expect((await browser.post(approvePath(question), fields)).status).toBe(303)
    expect(JSON.stringify(await stateOf(place, question))).not.toContain('/etc')
    expect((await browser.get(approvePath(question))).text).not.toContain('Changed before it runs')
  })
})

describe('attack', () => {
  const byAdmins = { approvers: ['group:admins'] }

  test('the requester of a call that needs someone else opens its page and posts', async () => {
    const place = await approvalPlace(byAdmins)
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    expect((await browser.get(approvePath(asked))).status).toBe(404)
    await browser.get('/grants')
    for (const path of [approvePath(asked), `${approvePath(asked)}?from=inbox`, `/elicit/${asked.id}/form`]) {
      expect((await browser.post(path, allowOnce)).status).toBe(404)
    }
    await isUntouched(place, asked)
    expect(await auditOf(place, 'page-refused')).toHaveLength(4)
  })

  test('a stranger does, while a member of the group may', async () => {
    const place = await approvalPlace(byAdmins)
    const asked = await waitingCall(place)
    const mallory = await signedInBrowser(place, 'mallory~users')
    await mallory.get('/grants')
    expect((await mallory.post(approvePath(asked), allowOnce)).status).toBe(404)
    await isUntouched(place, asked)

    const carol = await signedInBrowser(place, 'carol~admins')
    const { text } = await carol.get(approvePath(asked))
    expect(text).toContain('for <bdi>alice</bdi>')
    expect(text).not.toContain('all my clients')
    expect((await carol.post(approvePath(asked), allowOnce)).status).toBe(303)
    expect(await stateOf(place, asked)).toMatchObject({ kind: 'answered', by: { as: 'group:admins' } })
  })

  test('an approver of somebody else’s call chooses for all of their clients', async () => {
    const place = await approvalPlace(byAdmins)
    const asked = await waitingCall(place)
    const carol = await signedInBrowser(place, 'carol~admins')
    await carol.get(approvePath(asked))
    for (const choice of ['always_allow/tool/day/all', 'always_allow/everything', '']) {
      const page = await carol.post(approvePath(asked), { ...allowOnce, 'field.choice': choice })
      expect(page.status).toBe(422)
    }
    const denied = { ...allowOnce, answer: 'decline', denial: 'always_deny/tool/revoked/all' }
    expect((await carol.post(approvePath(asked), denied)).status).toBe(422)
    await isUntouched(place, asked)
  })

  test('another site posts a yes', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(asked))
    const evil = { origin: 'https://evil.example' }
    expect((await browser.post(approvePath(asked), allowOnce, evil)).status).toBe(403)
    expect((await browser.post(approvePath(asked), { ...allowOnce, csrf: 'guessed' })).status).toBe(403)
    await isUntouched(place, asked)
  })

  test('a script and hidden letters in the arguments are shown as what they are', async () => {
    const place = await approvalPlace()
    const evil = '"><script>alert(1)</script>'
    const asked = await waitingCall(place, { arguments: { [evil]: evil, to: 'p\u0430ypal\u200b' }, title: evil })
    const browser = await signedInBrowser(place, 'alice')
    for (const path of [approvePath(asked), `/inbox?open=${asked.id}`]) {
      const { text } = await browser.get(path)
      expect(text).not.toContain('<script>alert')
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
      expect(text).toContain('а U+0430</mark>')
      expect(text).toContain('U+200B</mark>')
    }
  })

  test('an answer that comes late changes nothing', async () => {
    const place = await approvalPlace()
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get(approvePath(asked))
    await browser.post(approvePath(asked), { ...allowOnce, answer: 'decline' })
    expect((await browser.post(approvePath(asked), allowOnce)).status).toBe(409)
    expect(await stateOf(place, asked)).toMatchObject({ answer: { action: 'decline' } })
  })
})
