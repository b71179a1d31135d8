import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PolicySettings } from '../../src/approval/policy/policy-settings.ts'
import { buildPackage } from '../support/build.ts'

const execute = promisify(execFile)
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = Object.entries<{ types: string; default: string }>(manifest.exports)
  .filter(([subpath]) => subpath !== './package.json')
  .map(([subpath, target]) => ({ name: subpath.replace('.', 'assent'), ...target }))

beforeAll(buildPackage)

describe('what a user does not ask for is not loaded', () => {
  const heavy =
    /node_modules\/(pg|libsql|hono|commander|playwright-core|rxjs|reflect-metadata|@(hono|libsql|marcbachmann|modelcontextprotocol|nestjs|rekog)\/[^/]+)\/|^node:sqlite$/

  test('by the main entry', async () => {
    const loaded = await modulesLoadedBy('assent')
    expect(loaded).toContainEqual(expect.stringContaining('/dist/index.js'))
    expect(loaded.filter((module) => heavy.test(module))).toEqual([])
  })

  test('CEL by an Assent whose policy has no condition', async () => {
    const withPolicy = (policy: PolicySettings) => `
      const { createAssent } = await import('assent')
      const policy = ${JSON.stringify(policy)}
      await (await createAssent({ store: 'memory:', policy })).close()`
    const cel = (modules: string[]) =>
      modules.filter((module) => module.includes('/node_modules/@marcbachmann/cel-js/'))
    expect(cel(await modulesLoadedIn(withPolicy({ rules: [{ tool: 'read_*', decide: 'allow' }] })))).toEqual([])
    expect(cel(await modulesLoadedIn(withPolicy({ rules: [{ when: 'args.x == 1', decide: 'allow' }] })))).not.toEqual(
      [],
    )
  })

  test('the MCP SDK by the pages', async () => {
    const loaded = await modulesLoadedBy('assent/web')
    expect(loaded).toContainEqual(expect.stringContaining('/dist/web/web.js'))
    expect(loaded.filter((module) => module.includes('/node_modules/@modelcontextprotocol/'))).toEqual([])
    expect(await modulesLoadedBy('assent/server')).toContainEqual(
      expect.stringContaining('/node_modules/@modelcontextprotocol/'),
    )
  })

  test('the framework of any agent by what agents use', async () => {
    const loaded = await modulesLoadedBy('assent/agents')
    expect(loaded).toContainEqual(expect.stringContaining('/dist/adapters/claude.js'))
    expect(loaded.filter((module) => module.includes('/node_modules/'))).toEqual([])
  })

  test.each(['commander', 'pg', 'libsql', 'playwright-core', '@nestjs/common', '@rekog/mcp-nest'])(
    'and %s would be seen',
    async (name) => {
      const loaded = await modulesLoadedBy(name)
      expect(loaded.filter((module) => heavy.test(module))).toContainEqual(expect.stringContaining(`/${name}/`))
    },
  )

  test('nor would a builtin hide', async () => {
    expect(await modulesLoadedBy('node:dgram')).toContain('node:dgram')
  })
})

describe('what package.json promises is there', () => {
  test.each(entries)('$name', async ({ name, types, default: code }) => {
    expect({ [types]: existsSync(types), [code]: existsSync(code) }).toEqual({ [types]: true, [code]: true })
    expect(await modulesLoadedBy(name)).toContainEqual(expect.stringContaining(code.slice(1)))
  })

  test('assent, the command', () => {
    expect(readFileSync(manifest.bin.assent, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

test('the package holds its code and its documents, and nothing of how it was made', async () => {
  const { stdout } = await execute('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { maxBuffer: 2 ** 26 })
  const paths: string[] = JSON.parse(stdout)[0].files.map((file: { path: string }) => file.path)

  expect(paths).toContain('dist/index.js')
  expect(
    paths.filter(
      (path) =>
        !/^(dist\/.+\.(js|d\.ts|css|svg)|dist\/cli\/(.+\.js\.map|third-party-licenses\.txt)|docs\/.+|[A-Z]+\.md|LICENSE|package\.json)$/.test(
          path,
        ),
    ),
  ).toEqual([])
  expect(paths.filter((path) => /\.test\.|(^|\/)(test|src)\/|\.(db|sqlite)|-wal$/.test(path))).toEqual([])
})

/** Every module that importing `name` brings in. */
function modulesLoadedBy(name: string): Promise<string[]> {
  return modulesLoadedIn(`await import(${JSON.stringify(name)})`)
}

/** Every module that a program brings in, in a process of its own, as a user of the package would. */
async function modulesLoadedIn(program: string): Promise<string[]> {
  const hooks = `export async function resolve(specifier, context, next) {
    const found = await next(specifier, context)
    process._rawDebug(found.url)
    return found
  }`
  const probe = `
    import { createRequire, register } from 'node:module'
    register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hooks))})
    ${program}
    // What CommonJS modules require of each other passes no hook.
    for (const path of Object.keys(createRequire(import.meta.url).cache)) process._rawDebug(path)`
  const { stderr } = await execute(process.execPath, ['--input-type=module', '--eval', probe])
  return stderr.trim().split('\n')
}
