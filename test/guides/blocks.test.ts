import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { sourcesIn } from '../support/sources.ts'

const guides = (await readdir('docs/guides')).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3))

test('every program under examples/guides has its guide, and every guide its program', async () => {
  expect(guides.sort()).toEqual((await readdir('examples/guides')).sort())
})

describe.each(guides)('docs/guides/%s.md', (guide) => {
  test('shows the code of its program, word for word', async () => {
    const page = await readFile(`docs/guides/${guide}.md`, 'utf8')
    const program = (await sourcesIn(`examples/guides/${guide}`)).map(({ text }) => text)
    const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)

    expect(blocks.length).toBeGreaterThan(0)
    expect(blocks.filter((block) => !program.some((text) => text.includes(block)))).toEqual([])
  })

  test('names only files that there are', async () => {
    const page = await readFile(`docs/guides/${guide}.md`, 'utf8')
    const named = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => new URL(path, `file:///docs/guides/`))
    const missing = await Promise.all(
      named
        .filter(({ protocol }) => protocol === 'file:')
        .map(({ pathname }) =>
          readFile(`.${pathname}`).then(
            () => [],
            () => [pathname],
          ),
        ),
    )
    expect(missing.flat()).toEqual([])
  })
})
