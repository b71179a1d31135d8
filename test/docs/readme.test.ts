import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'

const readme = await readFile('README.md', 'utf8')
const program = 'examples/readme/main.ts'

test('the program of the README is the one in examples, and has 15 lines at most', async () => {
  const code = await readFile(program, 'utf8')
  expect(/^```ts\n(.*?)^```$/ms.exec(readme)?.[1]).toBe(code)
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
})

test.each([
  ['2025', connect11],
  ['2026', connect26],
])('it runs, and asks clients of %s where to deploy, and whether', async (_, connect) => {
  const client = await connect({ args: ['--import', 'tsx', program], env: {} })
  onTestFinished(() => client.close())
  client.answers(({ message }) => {
    if (message.startsWith('Deploy where?')) return { action: 'accept', content: { env: 'staging' } }
    return message === 'Deploy to staging?' ? { action: 'accept', content: { confirm: true } } : { action: 'cancel' }
  })
  const { text, isError } = await client.call('deploy')
  expect(client.asked.map(({ message }) => message)).toEqual(['Deploy where?', 'Deploy to staging?'])
  expect({ text, isError }).toEqual({ text: 'Deployed to staging.', isError: false })
})

test('every file that the README links to exists', () => {
  const linked = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, path = '']) => path)
  expect(linked.length).toBeGreaterThan(15)
  expect(linked.filter((path) => !existsSync(path))).toEqual([])
})
