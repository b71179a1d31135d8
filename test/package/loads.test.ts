import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildPackage } from '../support/build.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** What only some processes need. Loading any of it takes longer than most commands work. */
const heavy = [
  '@marcbachmann/cel-js',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@simplewebauthn/server',
  'hono',
  'jose',
  'libsql',
  'nodemailer',
  'openid-client',
  'pg',
  'pino',
  'prom-client',
  're2js',
  'undici',
  'ws',
  'yaml',
  'zod',
]

const sdkClient = ['@modelcontextprotocol/client', 'zod']
const sdkServer = ['@modelcontextprotocol/server', 'zod']

beforeAll(buildPackage, 300_000)

describe('a command loads what it needs:', () => {
  test.each([
    [['--version']],
    [['--help']],
    [['grants', 'list', '--store', 'memory:']],
    [['audit', 'verify', '--store', 'memory:']],
    [['pause', '--store', 'memory:']],
    [['inbox', '--help']],
  ])('%j nothing heavy', async (args) => {
    expect(await loadedBy(args)).toEqual([])
  })

  test('a settings file loads YAML, and a condition CEL', async () => {
    const folder = await temporaryFolder()
    const config = (text: string) => writeFile(join(folder, 'assent.yaml'), `version: 1\nstore: "memory:"\n${text}`)
    await config('')
    expect(await loadedBy(['grants', 'list'], folder)).toEqual(['yaml'])
    await config('policy: { rules: [{ when: "args.x == 1", decide: allow }] }')
    expect(await loadedBy(['inbox', '--json'], folder)).toEqual(['@marcbachmann/cel-js', 're2js', 'yaml'])
  })

  test('assent call loads the client of the SDK', async () => {
    expect(await loadedBy(['call', 'http://127.0.0.1:1/mcp', 'echo'])).toEqual(sdkClient)
  })

  test('assent gateway loads its pages, its log and the server of the SDK', async () => {
    const gateway = ['gateway', '--store', 'memory:', '--port', '0']
    expect(await loadedUntil(gateway, /Press Ctrl-C/)).toEqual([...sdkServer, 'hono', 'pino'].sort())
  })

  test('assent gateway loads what sends telemetry only where the settings say so', async () => {
    const folder = await temporaryFolder()
    const gateway = ['gateway', '--port', '0']
    const config = (text: string) => writeFile(join(folder, 'assent.yaml'), `version: 1\nstore: "memory:"\n${text}`)
    const sends = 'src/telemetry/telemetry.ts'
    await config('')
    expect(await ownFilesUntil(gateway, folder)).not.toContain(sends)
    await config('telemetry: { endpoint: "http://127.0.0.1:1" }')
    expect(await ownFilesUntil(gateway, folder)).toContain(sends)
  })

  test('assent run loads its pages and the server of the SDK', async () => {
    const run = ['run', '--store', 'memory:', '--port', '0', '--', process.execPath, '-e', 'process.stdin.resume()']
    expect(await loadedUntil(run, /This process serves the pages/)).toEqual([...sdkServer, 'hono'].sort())
  })
})

const hook = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  process._rawDebug('loads <' + found.url + '>')
  return found
}`
const preload = `
  import Module, { register } from 'node:module'
  register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hook))})
  // What CommonJS modules require of each other passes no hook.
  const load = Module._load
  Module._load = function (name, ...more) {
    process._rawDebug('loads <node_modules/' + name + '>')
    return load.call(this, name, ...more)
  }`
const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` }

async function loadedBy(args: readonly string[], cwd?: string): Promise<string[]> {
  const { out, err } = await assent(args, env, cwd ?? (await temporaryFolder()))
  return heavyIn(out + err)
}

async function loadedUntil(args: readonly string[], ready: RegExp): Promise<string[]> {
  const { child, said } = await startAssent(args, ready, { env, cwd: await temporaryFolder() })
  await ended(child, 'SIGTERM')
  return heavyIn(said())
}

async function ownFilesUntil(args: readonly string[], cwd: string): Promise<string[]> {
  const { child, said } = await startAssent(args, /Press Ctrl-C/, { env, cwd })
  await ended(child, 'SIGTERM')
  return (await bundledIn(urlsIn(said()))).flatMap((text) =>
    [...text.matchAll(/^\/\/ (src\/\S+)$/gm)].map(([, path = '']) => path),
  )
}

const urlsIn = (said: string) => [...said.matchAll(/^loads <(.*)>$/gm)].map(([, url = '']) => url)

function bundledIn(urls: readonly string[]): Promise<string[]> {
  const bundled = urls.filter((url) => url.includes('/dist/cli/'))
  return Promise.all(bundled.map((url) => readFile(join('dist/cli', basename(url)), 'utf8')))
}

/** Each module in a file of the bundle begins with a comment that says where it is from. */
async function heavyIn(said: string): Promise<string[]> {
  const urls = urlsIn(said)
  expect(urls).toContainEqual(expect.stringContaining('/dist/cli/main.js'))
  const texts = await bundledIn(urls)
  const paths = [...urls, ...texts.flatMap((text) => text.match(/^\/\/ node_modules\/.*$/gm) ?? [])]
  return heavy.filter((name) => paths.some((path) => `${path}/`.includes(`node_modules/${name}/`)))
}
