import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { hookPath } from '../../src/cli/hook/hook-routes.ts'
import { operationPaths } from '../../src/cli/serve/operation-routes.ts'
import { defaultWebLimits } from '../../src/web/options.ts'
import type { Site } from '../../src/web/site.ts'
import { tableUnder } from '../support/tables.ts'
import { testBrowser } from '../support/test-browser.ts'
import { localPlace, loginPlace } from '../support/web/places.ts'

const page = await readFile('docs/pages.md', 'utf8')
/** Each as `GET /inbox`. */
const pages = routesUnder('## Which pages there are')
const others = routesUnder('### Other addresses on the same port')

describe('docs/pages.md', () => {
  test('lists every route of the pages, and no other', async () => {
    expect(pages.toSorted()).toEqual((await routesOfPages()).toSorted())
  })

  test('lists only routes that are mounted, with a login or without', async () => {
    const browsers = [testBrowser(await localPlace()), testBrowser(await loginPlace())]
    for (const route of pages) {
      const [method, path = ''] = route.split(' ')
      const replies = browsers.map((browser) =>
        method === 'GET' ? browser.get(filled(path)) : browser.post(filled(path)),
      )
      const statuses = (await Promise.all(replies)).map(({ status }) => status)
      expect({ route, isServed: statuses.some((status) => status !== 404) }).toEqual({ route, isServed: true })
    }
  })

  test('lists every address that operators use, and every one of the gateway', async () => {
    const [, pathOf = ''] = (await readFile('src/gateway/gateway.ts', 'utf8')).split('function pathOf')
    const named = [...pathOf.matchAll(/'(\/[\w./-]*\w)'/g)].map(([, path = '']) => path)
    expect(named).toContain('/mcp')
    const paths = new Set(others.map((route) => route.split(' ')[1]))
    expect([...paths].toSorted()).toEqual(
      [...new Set([...named, '/mcp/{server}', hookPath, ...operationPaths])].toSorted(),
    )
  })

  test('lists every limit', () => {
    const listed = tableUnder(page, '## Settings').map(([option = '']) => option.slice(1, -1))
    const limits = listed
      .filter((option) => option.startsWith('limits.'))
      .map((option) => option.slice('limits.'.length))
    expect(limits.toSorted()).toEqual(Object.keys(defaultWebLimits).toSorted())
  })
})

function routesUnder(heading: string): string[] {
  return tableUnder(page, heading).flatMap(([methods = '', path = '']) =>
    methods.split(', ').map((method) => `${method} ${path.slice(1, -1)}`),
  )
}

/** What the files of `src/web/routes` serve, whatever is mounted. */
async function routesOfPages(): Promise<string[]> {
  const names = await readdir('src/web/routes', { recursive: true })
  const files = names.filter((name) => name.endsWith('.ts'))
  const modules = await Promise.all(files.map((file) => import(`../../src/web/routes/${file}`)))
  const makers = modules.flatMap((module) => Object.entries(module).filter(([name]) => name.endsWith('Routes')))
  expect(makers).toHaveLength(files.length)
  const site = { assent: { pages: { prefix: 'elicit', names: {} } } } as unknown as Site
  const routes = makers.flatMap(([, make]) => (make as RoutesMaker)(site).routes)
  return routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
}

type RoutesMaker = (site: Site) => { readonly routes: readonly { readonly method: string; readonly path: string }[] }

const filled = (path: string) => path.replace(/\{\w+\}/g, 'some-name')
