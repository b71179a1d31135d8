import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { configHome, type Places } from './clients.ts'

/** The settings that all servers behind `assent init` share. */
export function settingsFileIn(places: Places): string {
  return join(configHome(places), 'assent', 'assent.yaml')
}

/** Writes the settings, unless there are some. True: they were written. */
export function writeSettings(path: string, state: string, mode: 'watch' | 'enforce'): boolean {
  if (existsSync(path)) return false
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const settings = {
    version: 1,
    listen: '127.0.0.1:4181',
    store: `sqlite:${join(state, 'assent.db')}`,
    policy: { mode, default: 'ask' },
  }
  writeFileSync(path, `${head[mode]}${stringify(settings)}`, { flag: 'wx', mode: 0o600 })
  return true
}

const head = {
  watch: `# Made by \`assent init\`. In the mode watch every call runs, and the audit says what would have been asked or denied.
# After some days, \`assent report\` proposes rules; write them under policy, and set the mode to enforce.
`,
  enforce: `# Made by \`assent init\`. Every call is asked about until rules under policy say otherwise.
`,
}
