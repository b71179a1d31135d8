import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Packages } from '../install.ts'
import type { ToolUse } from '../model/conversation.ts'
import type { Program } from '../processes.ts'

/** Where a client is tried: folders of its own, the gateway, and the model. */
export interface Place {
  readonly home: string
  readonly work: string
  readonly mcp: string
  readonly model: string
  readonly packages: Packages
}

/** A published client. */
export type App = ModelApp | CommandApp

interface Published {
  readonly id: string
  readonly title: string
  readonly package: string
}

/** A client that works with a model. */
export interface ModelApp extends Published {
  readonly kind: 'model'
  /** Writes the settings that a person would write: the gateway, the model, and no own question for its tools. */
  configure(place: Place): Promise<void>
  /** The client with a prompt and nobody at it. */
  headless(place: Place, prompt: string): Program
  /** The client with a screen, and somebody at it. */
  readonly screen: AppScreen
  /** Left out: it has no hooks that Assent knows. */
  readonly hooked?: Hooked
}

/** A client whose tools are decided about by a hook, with nobody at it. */
export interface Hooked extends HookedTool {
  /** What `assent hook` calls the client. */
  readonly name: string
  /** Writes the hook into the settings. `command` is a line for a shell. */
  configure(place: Place, command: string): Promise<void>
  headless(place: Place, prompt: string): Program
}

/** The tool that runs a command in a shell. */
export interface HookedTool {
  use(command: string): ToolUse
  /** Whether the hook may give back another command. */
  readonly takesEdits: boolean
}

/** A client whose user calls each tool with a command, without a model. */
export interface CommandApp extends Published {
  readonly kind: 'command'
  list(place: Place): Program
  call(place: Place, use: ToolUse): Program
}

/** A client's screen: what it shows, and which keys it takes. Keys are named as tmux names them. */
export interface AppScreen {
  program(place: Place): Program
  /** What it shows when it takes a prompt. */
  readonly ready: RegExp
  /** What it asks at its start, and the keys that answer it. */
  readonly start?: { readonly shows: RegExp; readonly keys: readonly string[] }
  /** Says yes to an approval whose first choice is "Allow once". Left out: the client has no forms. */
  readonly yes?: readonly string[]
  /** Says that the person was on the page, or leaves it open. Left out: the client has no pages. */
  readonly visited?: readonly string[]
  /** Closes a form without an answer. */
  readonly cancel?: readonly string[]
}

export async function writeSettings(file: string, settings: string | object): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof settings === 'string' ? settings : JSON.stringify(settings))
}
