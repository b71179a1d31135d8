import { accessSync, constants, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { BadArgument } from '../../base/errors.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { stateFolder } from '../state-folder.ts'
import { type ChangedFile, type ChangedFiles, changedFilesIn, digestOf } from './changed-files.ts'
import { type InitClient, initClients, type Places } from './clients.ts'
import type { CommandLine } from './command-line.ts'
import { NotEditable } from './editable-file.ts'
import { type FilePlan, planInit, textOf, withoutAssent } from './plan.ts'
import { settingsFileIn, writeSettings } from './settings-file.ts'
import { showPlan } from './show-plan.ts'

/** Options of `assent init`. */
export interface InitOptions {
  readonly client?: readonly string[]
  readonly project?: true
  readonly mode: 'watch' | 'enforce'
  readonly dryRun?: true
  readonly yes?: true
  readonly undo?: true
  /** Of every command: the settings file. */
  readonly config?: string
}

/** Puts Assent in front of the servers of each client, after showing what changes. */
export async function init(options: InitOptions): Promise<void> {
  const places = placesFor(options)
  const settings = options.config === undefined ? settingsFileIn(places) : resolve(options.config)
  const plans = planInit(chosenClients(options), places, { assent: assentCommand(), settings })
  if (plans.length === 0) {
    print('No config file of a client was found. `assent init --help` lists the clients that are looked for.')
    return
  }
  showPlan(plans)
  const changing = plans.filter(({ outcome }) => 'changed' in outcome && outcome.changed.length > 0)
  if (changing.length === 0) return print('There is nothing to change.')
  if (options.dryRun) return print('Nothing was changed.')
  if (
    !(await isConfirmed(`Change ${changing.length === 1 ? 'this file' : `these ${changing.length} files`}?`, options))
  )
    return
  if (writeSettings(settings, stateFolder(), options.mode)) print(`Wrote the settings: ${settings}`)
  const kept = changedFilesIn(initFolder())
  for (const plan of changing) apply(kept, plan)
  print(`Restart these clients to use it. To answer questions in your browser: assent open --config ${settings}`)
  print('To put everything back: assent init --undo')
}

function apply(kept: ChangedFiles, { client, path, before, outcome }: FilePlan): void {
  // A client may have written its file while the person read the difference.
  if (!readFileSync(path).equals(before)) {
    process.exitCode = exitCodes.no
    complain(`${path} was changed meanwhile, so it is left as it is. Run assent init again.`)
    return
  }
  kept.change(client.id, path, before, (outcome as { text: string }).text)
  print(`Changed ${path}`)
}

/** Puts back what `init` changed. A file that was changed since keeps those changes, and loses only Assent. */
export async function undo(options: InitOptions): Promise<void> {
  const kept = changedFilesIn(initFolder())
  const wanted = new Set(chosenClients(options).map(({ id }) => id))
  const files = kept.list().filter(({ client }) => wanted.has(client))
  if (files.length === 0) return print('There is nothing to put back.')
  for (const { path } of files) print(path)
  if (options.dryRun) return print('Nothing was changed.')
  const question = `Put ${files.length === 1 ? 'this file' : `these ${files.length} files`} back?`
  if (!(await isConfirmed(question, options))) return
  for (const file of files) putBack(kept, file)
}

function putBack(kept: ChangedFiles, file: ChangedFile): void {
  try {
    const now = readFileSync(file.path)
    if (digestOf(now) === file.after) {
      kept.putBack(file, readFileSync(file.copy))
      print(`Put back ${file.path}`)
      return
    }
    const client = initClients.find(({ id }) => id === file.client) as InitClient
    const { text } = withoutAssent(client, textOf(now))
    kept.putBack(file, Buffer.from(text))
    print(`${file.path} was changed since: these changes stay, and Assent is taken out of it.`)
  } catch (error) {
    if (!(error instanceof NotEditable) && (error as NodeJS.ErrnoException).code === undefined) throw error
    process.exitCode = exitCodes.no
    complain(`${file.path} could not be put back: ${(error as Error).message}. As it was: ${file.copy}`)
  }
}

async function isConfirmed(question: string, { yes }: InitOptions): Promise<boolean> {
  if (yes) return true
  if (!process.stdin.isTTY) {
    throw new BadArgument('Nobody is at the terminal to agree. Use --yes to change the files, or --dry-run to look.')
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const said = await lines.question(`${question} Type yes › `)
  lines.close()
  if (said.trim().toLowerCase() === 'yes') return true
  print('Nothing was changed.')
  return false
}

function chosenClients({ client: names }: InitOptions): readonly InitClient[] {
  if (names === undefined) return initClients
  const unknown = names.find((name) => !initClients.some(({ id }) => id === name))
  if (unknown === undefined) return initClients.filter(({ id }) => names.includes(id))
  throw new BadArgument(`There is no client ${unknown}. Known: ${initClients.map(({ id }) => id).join(', ')}.`)
}

function placesFor({ project }: InitOptions): Places {
  const { env, platform } = process
  return { home: homedir(), platform, env, ...(project && { project: process.cwd() }) }
}

const initFolder = () => join(stateFolder(), 'init')

/** The words that start this very program, wherever a client starts it. */
function assentCommand(): CommandLine {
  const main = realpathSync(process.argv[1] as string)
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const isInstalled = folders.some((folder) => isSame(join(folder, 'assent'), main))
  return isInstalled ? ['assent'] : [process.execPath, main]
}

function isSame(path: string, main: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return realpathSync(path) === main
  } catch {
    return false
  }
}
