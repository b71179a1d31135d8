import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Processes, Program } from './processes.ts'

/** A client in a terminal of its own, and somebody who types and looks. */
export interface Terminal {
  /** Types text, then presses the keys that tmux has names for, such as `Enter`. */
  type(text: string, ...keys: string[]): Promise<void>
  press(...keys: string[]): Promise<void>
  /** Waits until the screen shows this, and returns the screen. */
  see(what: RegExp, seconds?: number): Promise<string>
  screen(): Promise<string>
  close(): Promise<void>
}

export class NotSeen extends Error {}

const columns = 120
const rows = 50

/** Opens a program in a tmux of its own. `folder` holds its socket. */
export async function openTerminal(processes: Processes, folder: string, program: Program): Promise<Terminal> {
  const socket = join(folder, 'tmux')
  const env = { ...processes.environment(program.env), TERM: 'xterm-256color' }
  const tmux = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env,
      timeout: 20_000,
    })
    return stdout
  }
  const words = ['exec', ...program.command.map(quoted)].join(' ')
  await tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, '-c', program.cwd, words)
  const screen = () => tmux('capture-pane', '-p')
  return {
    type: async (text, ...keys) => {
      await tmux('send-keys', '-l', text)
      // Some clients take text and a key that come together for something pasted.
      await sleep(500)
      for (const key of keys) await tmux('send-keys', key)
    },
    press: async (...keys) => {
      for (const key of keys) {
        await tmux('send-keys', key)
        await sleep(300)
      }
    },
    screen,
    see: (what, seconds = 60) => see(screen, what, seconds),
    close: async () => void (await tmux('kill-server').catch(() => '')),
  }
}

async function see(screen: () => Promise<string>, what: RegExp, seconds: number): Promise<string> {
  for (let waited = 0; waited < seconds; waited += 0.5) {
    const shown = await screen().catch(() => '')
    if (what.test(shown)) return shown
    await sleep(500)
  }
  throw new NotSeen(
    `The screen does not show ${what} after ${seconds} s:\n${await screen().catch(() => '(it is closed)')}`,
  )
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
