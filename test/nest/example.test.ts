import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { freePort } from '../support/free-port.ts'
import { testBrowser } from '../support/test-browser.ts'

test('docs/nest.md shows the example as it is', () => {
  const program = readFileSync('examples/nest/main.ts', 'utf8')
  expect(readFileSync('docs/nest.md', 'utf8')).toContain(`\`\`\`ts\n${program}\`\`\``)
})

test('the example runs as docs/nest.md says', async () => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const link = await enrollLink(port)
  // Nest says that it has started before it listens.
  await expect.poll(() => fetch(origin).then(Boolean, () => false)).toBe(true)
  const web = { fetch: (request: Request) => fetch(request, { redirect: 'manual' }) } as never
  const person = testBrowser({ web }, origin)
  expect((await person.post(pathOf(link))).status).toBe(200)

  for (const how of [connect26, connect11]) {
    const client = await how({ url: new URL(`${origin}/mcp`) })
    onTestFinished(() => client.close())
    client.answers(async ({ url = '' }) => {
      await person.get(pathOf(url))
      await person.post(pathOf(url), { answer: 'accept', 'field.apiKey': 'sk_planted_4321' })
      return { action: 'accept' }
    })
    expect((await client.call('balance')).text).toBe('Read with the key …4321')
    client.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
    expect((await client.call('refund', { order: 'o-1' })).text).toBe('Refunded o-1')
    client.answers(() => ({ action: 'accept', content: { express: true } }))
    expect((await client.call('ship', { order: 'o-1' })).text).toBe('Shipped, express: true')
  }
})

function enrollLink(port: string): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/nest/main.ts'], {
    env: { ...process.env, PORT: port, NO_COLOR: '1' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    let printed = ''
    child.on('exit', () => reject(new Error(`It ended, and printed only: ${printed}`)))
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk
        const found = /open this link in it once: (\S+)[\s\S]*Nest application successfully started/.exec(printed)
        if (found?.[1] !== undefined) resolve(found[1])
      })
    }
  })
}

const pathOf = (url: string) => `${new URL(url).pathname}${new URL(url).search}`
