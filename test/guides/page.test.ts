import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { pathIn } from '../support/test-browser.ts'
import { browserAt, start } from './programs.ts'

test('the page of the guide shows the terms, wants a name, and takes a clear yes', async () => {
  const port = await freePort()
  const program = start('page/main.ts', [], { PORT: port })
  const [, enroll = '', link = ''] = await program.prints(/once: (\S+)\n.*here: (\S+)\n/)
  const browser = browserAt(port)
  const terms = pathIn(link)
  expect((await browser.get(terms)).status).toBe(403)

  await browser.post(pathIn(enroll))
  const page = await browser.get(terms)
  expect(page.text).toContain('Backups are kept for 30 days.')
  expect(page.headers.get('content-security-policy')).toContain(/nonce="([^"]+)"/.exec(page.text)?.[1])

  const again = await browser.post(terms, { answer: 'accept', agreed: 'on', name: 'A' })
  expect(again.text).toContain('role="alert"')
  await browser.post(terms, { answer: 'accept', agreed: 'on', name: 'Ada' })
  await program.prints(/^{"action":"accept","content":{"name":"Ada"}}$/m)
})

test('a yes without the tick is a no', async () => {
  const port = await freePort()
  const program = start('page/main.ts', [], { PORT: port })
  const [, enroll = '', link = ''] = await program.prints(/once: (\S+)\n.*here: (\S+)\n/)
  const browser = browserAt(port)
  await browser.post(pathIn(enroll))
  const terms = pathIn(link)
  await browser.get(terms)
  await browser.post(terms, { answer: 'accept', name: 'Ada' })
  await program.prints(/^{"action":"decline"}$/m)
})
