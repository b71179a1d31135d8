import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { App } from './apps/app.ts'
import { claude } from './apps/claude.ts'
import { codex } from './apps/codex.ts'
import { copilot } from './apps/copilot.ts'
import { gemini } from './apps/gemini.ts'
import { inspector } from './apps/inspector.ts'
import { opencode } from './apps/opencode.ts'
import { bringTmux, Packages } from './install.ts'
import { type FakeModel, startModel } from './model/model.ts'
import { Processes } from './processes.ts'
import { type Column, replaceTables, tables } from './table.ts'
import { tryApp } from './try-app.ts'

const help = `
npm run clients                          tries published clients with the gateway, and prints what each does
npm run clients -- claude codex          some of them: claude, codex, copilot, gemini, opencode, inspector
npm run clients -- --write docs/clients.md    and writes the tables into a page

  --folder <path>    where the clients are installed, and what they print is kept (default: a folder for temporary files)
  --installed        use the versions that are there, install nothing
  --no-screens       leave out what needs a terminal

The clients come from the npm registry, the model is a fake one on this machine. It takes about half an hour.`

const apps: readonly App[] = [claude, codex, copilot, gemini, opencode, inspector]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'assent-clients') },
    installed: { type: 'boolean', default: false },
    screens: { type: 'boolean', default: true },
    write: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(help)
else await tryAll()

async function tryAll(): Promise<void> {
  const packages = new Packages(values.folder)
  await packages.prepare(values.installed)
  const withScreens = values.screens && (await bringTmux())
  if (values.screens && !withScreens) console.log('There is no tmux, and only root can install it: no screens.')
  const processes = new Processes()
  const model = await startModel()
  const stop = () => void processes.endAll().then(() => process.exit(1))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const columns: Column[] = []
  try {
    for (const app of apps) {
      if (positionals.length > 0 && !positionals.includes(app.id)) continue
      columns.push(await tryOne(app, packages, processes, model, withScreens))
    }
  } finally {
    const left = await processes.endAll()
    if (left.length > 0) console.log(`Ended what was left running: ${[...new Set(left)].join(', ')}`)
    await model.close()
  }
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const text = tables(columns, new Date().toISOString().slice(0, 10), version)
  console.log(`\n${text}\n\nWhat each read and showed: ${values.folder}/try-*/findings.json`)
  if (values.write !== undefined)
    await writeFile(values.write, replaceTables(await readFile(values.write, 'utf8'), text))
}

async function tryOne(
  app: App,
  packages: Packages,
  processes: Processes,
  model: FakeModel,
  withScreens: boolean,
): Promise<Column> {
  if (!values.installed) await packages.install(app.id, [`${app.package}@latest`])
  const version = await packages.version(app.id, app.package)
  console.log(`${app.title} ${version}`)
  const folder = join(values.folder, `try-${app.id}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const tried = await tryApp(app, { processes, packages, model, folder }, withScreens)
  await processes.endAll()
  await writeFile(join(folder, 'output.txt'), tried.output)
  const found = {
    headless: Object.fromEntries(tried.findings),
    screens: Object.fromEntries(tried.screens ?? []),
    hooks: Object.fromEntries(tried.hooks ?? []),
  }
  await writeFile(join(folder, 'findings.json'), JSON.stringify(found, null, 2))
  return { title: app.title, version, tried }
}
