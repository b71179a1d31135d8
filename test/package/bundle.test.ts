import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildPackage } from '../support/build.ts'
import { temporaryFolder } from '../support/temporary.ts'

const execute = promisify(execFile)

beforeAll(buildPackage, 300_000)

describe('the command', () => {
  test('runs from the packed file, with none of the packages that are in the bundle', async () => {
    const folder = await temporaryFolder()
    const { stdout } = await execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      maxBuffer: 2 ** 26,
    })
    const [{ filename, version }] = JSON.parse(stdout)
    const installed = join(folder, 'node_modules/assent')
    await mkdir(installed, { recursive: true })
    await execute('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed])
    await symlink(resolve('node_modules/undici'), join(folder, 'node_modules/undici'))
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    const assent = (...args: string[]) =>
      execute(process.execPath, [join(installed, bin.assent), ...args], { cwd: folder })

    expect((await assent('--version')).stdout.trim()).toBe(version)
    expect((await assent('grants', 'list', '--store', 'memory:')).stdout).toContain('Nothing is lastingly allowed')
  }, 120_000)

  test('names lines of the sources in its stack traces', async () => {
    const showsStack = `process.stdout.write = () => { process._rawDebug(new Error('shown').stack); return true }`
    const { stderr } = await execute(process.execPath, [
      '--import',
      `data:text/javascript,${encodeURIComponent(showsStack)}`,
      'dist/cli/main.js',
      '--version',
    ])
    expect(stderr).toMatch(/src\/cli\/errors\.ts:\d+:\d+/)
    expect(stderr.replaceAll('dist/cli/main.js', '')).not.toContain('dist/cli')
  })

  test('comes with the licence of each package in its files', async () => {
    const files = (await readdir('dist/cli')).filter((name) => name.endsWith('.js'))
    const packages = new Set<string>()
    for (const file of files) {
      const text = await readFile(join('dist/cli', file), 'utf8')
      for (const [, name = ''] of text.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm))
        packages.add(name)
    }
    const notices = await readFile('dist/cli/third-party-licenses.txt', 'utf8')
    const sections = notices.split(/^={80}\n/m).slice(1)
    const texts = new Map(sections.map((section) => [section.split(' ', 1)[0], section]))

    expect([...packages]).toContain('commander')
    expect(
      [...packages].filter(
        (name) => !/copyright|licen[cs]e/i.test(texts.get(name)?.split('\n').slice(1).join('\n') ?? ''),
      ),
    ).toEqual([])
  })
})
