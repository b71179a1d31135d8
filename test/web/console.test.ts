import { describe, expect, test } from 'vitest'
import { BadArgument } from '../../src/base/errors.ts'
import { consoleRoutes } from '../../src/web/routes/console/console.ts'
import { toolsRoutes } from '../../src/web/routes/console/tools.ts'
import { alice } from '../support/approval/a-call.ts'
import { signedInBrowser, testBrowser } from '../support/test-browser.ts'
import { allowOnce, approvePath, waitingCall } from '../support/web/approvals.ts'
import { auditOf, loginPlace } from '../support/web/places.ts'

const place = () => loginPlace({ admins: ['group:ops'] }, { policy: { rules: [{ decide: 'ask' }] } })

describe('the console', () => {
  test('shows an administrator the questions and permissions of others, and revokes a permission', async () => {
    const here = await place()
    const asked = await waitingCall(here)
    const carol = await signedInBrowser(here, 'carol~ops')
    expect((await carol.get('/console/questions')).text).toContain('Run write_file')
    const browser = await signedInBrowser(here, 'alice')
    await browser.get(approvePath(asked))
    await browser.post(approvePath(asked), { ...allowOnce, 'field.choice': 'always_allow/tool/hour/this' })
    const [grant] = await here.assent.approvals.list(alice, 1)
    expect((await carol.get('/console/questions')).text).toContain('No question is open here.')
    expect((await carol.get('/console/permissions')).text).toContain('to run write_file on files')
    expect((await carol.post(`/console/permissions/${grant?.id}/revoke`)).location).toBe('/console/permissions')
    expect((await here.assent.approvals.list(alice, 1))[0]?.revoked).toBeDefined()
  })

  test('attack: a participant and a stranger open the console', async () => {
    const here = await place()
    await waitingCall(here)
    const alices = await signedInBrowser(here, 'alice')
    await alices.get('/inbox')
    const routes = [...consoleRoutes().routes, ...toolsRoutes().routes].map(({ method, path }) => ({
      method,
      path: path.replace(':id', 'any'),
    }))
    expect(routes.length).toBeGreaterThan(17)
    for (const { method, path } of routes) {
      const { status, text } = await (method === 'GET' ? alices.get(path) : alices.post(path))
      expect({ path, status, leaks: /write_file|files/.test(text) }).toEqual({ path, status: 404, leaks: false })
      const stranger = testBrowser(here)
      const refused = await (method === 'GET' ? stranger.get(path) : stranger.post(path))
      expect({ path, status: refused.status, leaks: /write_file|files/.test(refused.text) }).toEqual({
        path,
        status: method === 'GET' ? 303 : refused.status,
        leaks: false,
      })
      expect(refused.status).not.toBe(200)
    }
    const refusals = (await auditOf(here, 'page-refused')).filter(({ data }) => data.reason === 'not-admin')
    expect(refusals).toHaveLength(routes.length)
  })

  test('attack: a form of another site starts a check, an export or a replay', async () => {
    const here = await place()
    const carol = await signedInBrowser(here, 'carol~ops')
    for (const path of [
      'policy/try',
      'policy/replay',
      'audit/verify',
      'audit/export',
      'permissions/any/revoke',
      'tools/allow',
    ]) {
      const { status } = await carol.send(`/console/${path}`, [['csrf', 'guessed']])
      expect({ path, status }).toEqual({ path, status: 403 })
    }
    expect(await auditOf(here, 'audit-exported')).toEqual([])
  })

  test('every page is served to an administrator, and leads to all others', async () => {
    const here = await place()
    const asked = await waitingCall(here)
    const carol = await signedInBrowser(here, 'carol~ops')
    const pages = consoleRoutes().routes.flatMap(({ method, path }) =>
      method === 'GET' && !path.endsWith('/events') ? [path] : [],
    )
    for (const path of pages) {
      const { status, text } = await carol.get(path)
      expect({ path, status }).toEqual({ path, status: 200 })
      expect(text).toContain(`<a href="${path}" aria-current="page">`)
      for (const other of pages) expect(text).toContain(`href="${other}"`)
    }
    expect((await carol.get('/console/live')).text).toContain('files asked whether a call may run')
    expect((await carol.get(approvePath(asked))).status).toBe(404)
    expect(here.errors).toEqual([])
  })

  test('counts what was called and asked, as soon as it is written', async () => {
    const here = await place()
    await waitingCall(here)
    const carol = await signedInBrowser(here, 'carol~ops')
    const read = async () => (await carol.get('/console')).text
    await expect.poll(read).toMatch(/<dt>Questions asked<\/dt><dd>1<\/dd>/)
    await expect
      .poll(async () => (await carol.get('/console/policy')).text)
      .toMatch(/Rule 1[\s\S]*<td>0<\/td><td>1<\/td><td>0<\/td>/)
  })

  test('tries a call by the rules, without asking anybody', async () => {
    const here = await loginPlace(
      { admins: ['group:ops'] },
      { policy: { rules: [{ tool: 'read_*', decide: 'allow' }, { decide: 'ask' }] } },
    )
    const carol = await signedInBrowser(here, 'carol~ops')
    await carol.get('/console/policy')
    const call = {
      server: 'files',
      tool: 'read_file',
      arguments: '{"path":"/tmp"}',
      person: '',
      client: '',
      groups: '',
    }
    expect((await carol.post('/console/policy/try', call)).text).toContain('The call would run without a question.')
    const other = (await carol.post('/console/policy/try', { ...call, tool: 'delete' })).text
    expect(other).toContain('A person would be asked.')
    expect((await carol.post('/console/policy/try', { ...call, arguments: '[]' })).text).toContain(
      'must be one JSON object',
    )
    expect((await carol.post('/console/policy/try', { ...call, person: 'x'.repeat(9) })).status).toBe(200)
    expect(await here.assent.store.elicitations.listAllOpen(1)).toEqual([])
  })

  test('finds events by kind, person and text, from the newest back', async () => {
    const here = await place()
    const carol = await signedInBrowser(here, 'carol~ops')
    for (let number = 1; number <= 120; number += 1) {
      await here.assent.record({ kind: 'custom:noted', who: alice, about: `note-${number}`, data: { number } })
    }
    const notes = (text: string) => [...new Set([...text.matchAll(/note-\d+/g)].map(([note]) => note))]
    const first = await carol.get('/console/audit?text=NOTE-')
    expect(notes(first.text)).toHaveLength(50)
    expect(notes(first.text)[0]).toBe('note-120')
    const older = /href="(\/console\/audit\?[^"]+before=[^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&')
    expect(notes((await carol.get(older as string)).text)[0]).toBe('note-70')
    expect(notes((await carol.get(`/console/audit?person=${alice}&text=note-7`)).text)).toHaveLength(11)
    expect(notes((await carol.get('/console/audit?person=nobody@example.com')).text)).toEqual([])
    const browsers = (await carol.get('/console/audit?kind=browser-added')).text
    expect(browsers).toContain('A browser was added')
    expect(notes(browsers)).toEqual([])
    expect((await carol.get('/console/audit?before=%00&kind=__proto__&person=%22%3E')).status).toBe(200)
  })

  test('checks the audit in the background, and finds what was changed', async () => {
    const here = await place()
    const carol = await signedInBrowser(here, 'carol~ops')
    await carol.get('/console/audit')
    expect((await carol.post('/console/audit/verify')).location).toBe('/console/audit')
    await expect.poll(async () => (await carol.get('/console/audit')).text).toContain('The record is whole')
  })

  test('exports the audit as a file, which is recorded', async () => {
    const here = await place()
    const carol = await signedInBrowser(here, 'carol~ops')
    await carol.get('/console/audit')
    const { status, text, headers } = await carol.post('/console/audit/export')
    expect([status, headers.get('content-disposition')]).toEqual([200, expect.stringContaining('attachment')])
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.at(-1)).toHaveProperty('heads')
    expect(lines.map(({ event }) => event?.kind)).toContain('audit-exported')
  })

  test('what servers, clients and people say is escaped and shown whole', async () => {
    const hostile = '<script>alert(1)</script>pay\u202elap'
    const here = await loginPlace(
      {
        admins: ['group:ops'],
        console: {
          servers: () => [
            {
              id: 'files',
              state: 'down',
              since: new Date(0),
              restarts: 2,
              open: 0,
              inFlight: 0,
              reason: hostile,
              lastLine: hostile,
              tools: [{ name: hostile, definition: 'abc' }],
              leftOut: [{ list: 'tools', name: hostile, reason: hostile }],
            },
          ],
          instance: 'this',
          skewMs: 10_000,
          isTrusted: () => false,
          readDraft: async () => {
            throw new BadArgument(hostile)
          },
        },
      },
      { policy: { rules: [{ decide: 'ask', reason: hostile }] } },
    )
    await here.assent.record({ kind: 'custom:noted', about: hostile, data: { server: hostile } })
    const carol = await signedInBrowser(here, 'carol~ops')
    const pages = [
      await carol.get('/console/servers'),
      await carol.get('/console/audit'),
      await carol.get('/console/policy'),
      await carol.post('/console/policy/replay', { draft: hostile }),
      await carol.post('/console/policy/try', { server: hostile, tool: hostile, arguments: '' }),
    ]
    for (const { status, text } of pages) {
      expect(status).toBe(200)
      expect(text).not.toContain('<script>alert')
      expect(text).toContain('U+202E')
    }
  })
})
