import { fork } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { freePort } from '../support/free-port.ts'
import { compiled } from '../support/programs.ts'
import { type PageReply, testBrowser } from '../support/test-browser.ts'
import { callVisiting } from './persons.ts'

const place = pathToFileURL('test/nest/nest-11/package.json').href

/** Lets a program find the packages of `nest-11` instead of those of this repository. */
const hooks = `export const resolve = (name, context, next) =>
  next(name, /^(@nestjs|@rekog)[/]/.test(name) ? { ...context, parentURL: '${place}' } : context)`
const register = `import { register } from 'node:module'
  register('data:text/javascript,${encodeURIComponent(hooks).replaceAll("'", '%27')}')`

test('the same application runs on NestJS 11: keys, forms and approvals, on both eras', async () => {
  const program = compiled(new URL('app-process.ts', import.meta.url))
  const child = fork(program, [await freePort(), place], {
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(register)}`],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [{ url, enrollLink, version }] = await once(child, 'message')
  expect(version).toMatch(/^11\./)

  const web = { fetch: (request: Request) => fetch(request, { redirect: 'manual' }) } as never
  const person = testBrowser({ web }, new URL(url).origin)
  expect((await person.post(pathOf(enrollLink))).status).toBe(200)
  for (const [service, how] of [
    ['stripe', connect11],
    ['github', connect26],
  ] as const) {
    const client = await how({ url: new URL(url) })
    onTestFinished(() => client.close())
    const result = await callVisiting(client, 'connect-service', { service }, async (page) => {
      const shown: PageReply = await person.get(pathOf(page))
      expect(shown.text).toContain(`${service} API Key`)
      expect((await person.post(pathOf(page), { answer: 'accept', 'field.apiKey': 'sk_live_planted_11' })).status).toBe(
        303,
      )
    })
    expect(result.text).toBe(`Connected to ${service}`)
    client.answers(() => ({ action: 'accept', content: { size: 'large' } }))
    expect((await client.call('order')).text).toBe('ordered large')
    client.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
    expect((await client.call('delete', { what: 'logs' })).text).toBe('deleted logs')
  }
})

const pathOf = (url: string) => `${new URL(url).pathname}${new URL(url).search}`
