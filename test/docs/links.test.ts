import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const pages = [...markdownIn('.', false), ...markdownIn('docs', true)]

function markdownIn(folder: string, recursive: boolean): string[] {
  const files = readdirSync(folder, { recursive }).map(String)
  return files.filter((file) => file.endsWith('.md')).map((file) => normalize(join(folder, file)))
}

/** The page without its programs, in which brackets are no links. */
function textOf(page: string): string {
  return readFileSync(page, 'utf8').replace(/```.*?```/gs, '')
}

/** The anchors that a page has for its headings, as hosts of repositories make them. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test.each(pages)('every link of %s leads to a file, and to a heading of it', (page) => {
  const broken = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(file)) return [link]
    return anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor) ? [] : [link]
  })
  expect(broken).toEqual([])
})
