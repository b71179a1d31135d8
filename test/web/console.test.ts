import { describe, expect, test } from 'vitest'
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
    expect((await carol.get('/console')).text).toContain('Run write_file')
    const browser = await signedInBrowser(here, 'alice')
    await browser.get(approvePath(asked))
    await browser.post(approvePath(asked), { ...allowOnce, 'field.choice': 'always_allow/tool/hour/this' })
    const [grant] = await here.assent.approvals.list(alice, 1)
    expect((await carol.get('/console')).text).toContain('No question is open here.')
    expect((await carol.get('/console/permissions')).text).toContain('to run write_file on files')
    expect((await carol.post(`/console/permissions/${grant?.id}/revoke`)).location).toBe('/console/permissions')
    expect((await here.assent.approvals.list(alice, 1))[0]?.revoked).toBeDefined()
  })

  test('attack: a participant and a stranger open the console', async () => {
    const here = await place()
    await waitingCall(here)
    const alices = await signedInBrowser(here, 'alice')
    for (const path of ['/console', '/console/permissions']) {
      const { status, text } = await alices.get(path)
      expect({ status, leaks: text.includes('write_file') }).toEqual({ status: 404, leaks: false })
      expect((await testBrowser(here).get(path)).status).toBe(303)
    }
    expect((await alices.post('/console/permissions/any/revoke')).status).toBe(404)
    expect((await auditOf(here, 'page-refused')).filter(({ data }) => data.reason === 'not-admin')).toHaveLength(3)
  })
})
