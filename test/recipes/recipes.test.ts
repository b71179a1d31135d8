import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { type AskedClient, type Connect, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { closing, startRecipe } from '../support/examples/recipes.ts'
import { pathIn, type TestBrowser } from '../support/test-browser.ts'

const eras: [string, Connect][] = [
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
]
const key = 'planted-deploy-key-7788'

describe.each(['node', 'express', 'fastify', 'hono'])('the recipe for %s', (recipe) => {
  test('asks by a form and on a page, for clients of both eras', async () => {
    const { url, person } = await startRecipe(`examples/recipes/${recipe}.ts`)
    for (const [, how] of eras) {
      const client = await closing(how, url)
      answering(client, person)
      expect(await client.call('deploy', { env: 'staging' })).toMatchObject({
        text: 'Deployed T-1 to staging with …7788',
        isError: false,
      })
      expect(client.received()).not.toContain(key)
    }
  })
})

describe('the recipe for Next.js, by mcp-handler', () => {
  test('asks 2026 clients by a form and on a page, and tells a 2025 client that it cannot be asked', async () => {
    const { url, person } = await startRecipe('test/recipes/next-host.ts')
    const client = await closing(connect26, url)
    answering(client, person)
    expect((await client.call('deploy', { env: 'production' })).text).toBe('Deployed T-1 to production with …7788')

    // Without a session there is no stream on which a 2025 client could be asked.
    const older = await closing(connect11, url)
    expect(await older.call('deploy', { env: 'production' })).toMatchObject({ isError: true })
    expect(older.asked).toEqual([])
  })
})

describe('every recipe', async () => {
  const files = (await readdir('examples/recipes', { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !/node_modules|[.]xmcp|[.]d[.]ts$/.test(name),
  )
  const page = await readFile('docs/recipes.md', 'utf8')

  test.each(files)('%s has less than 30 lines, all of them shown in docs/recipes.md', async (file) => {
    const program = await readFile(`examples/recipes/${file}`, 'utf8')
    expect(program.trimEnd().split('\n').length).toBeLessThan(30)
    expect(page).toContain(`\`\`\`ts\n${program}\`\`\``)
  })
})

/** The person fills in the form, and types the key on the page. */
function answering(client: AskedClient, person: TestBrowser): void {
  client.answers(async ({ mode, url = '' }) => {
    if (mode !== 'url') return { action: 'accept', content: { ticket: 'T-1' } }
    expect((await person.get(pathIn(url))).text).toContain('Deploy key')
    expect((await person.post(pathIn(url), { answer: 'accept', 'field.apiKey': key })).status).toBe(303)
    return { action: 'accept' }
  })
}
