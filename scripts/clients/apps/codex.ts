import { join } from 'node:path'
import { type ModelApp, type Place, writeSettings } from './app.ts'

export const codex: ModelApp = {
  kind: 'model',
  id: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  configure: ({ home, work, mcp, model }) =>
    writeSettings(
      join(home, '.codex/config.toml'),
      `
model = "fake"
model_provider = "fake"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "${model}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"

[mcp_servers.assent]
url = "${mcp}"
required = true
default_tools_approval_mode = "approve"

[projects."${work}"]
trust_level = "trusted"
`,
    ),
  headless: (place, prompt) => program(place, 'exec', '--skip-git-repo-check', prompt),
  screen: {
    program: (place) => program(place),
    ready: /\? for shortcuts/,
    yes: ['Enter'],
    cancel: ['Escape'],
  },
  hooked: {
    name: 'codex',
    configure: ({ home }, command) => {
      const hooks = [{ type: 'command', command, timeout: 60 }]
      return writeSettings(join(home, '.codex/hooks.json'), { hooks: { PreToolUse: [{ matcher: '*', hooks }] } })
    },
    // A person would accept the hook at the first start.
    headless: (place, prompt) =>
      program(place, 'exec', '--dangerously-bypass-hook-trust', '--skip-git-repo-check', prompt),
    use: (command) => ({ tool: 'exec_command', arguments: { cmd: command } }),
    takesEdits: false,
  },
}

function program({ home, work, packages }: Place, ...args: string[]) {
  return { command: [packages.bin('codex', 'codex'), ...args], cwd: work, env: { HOME: home, FAKE_KEY: 'fake' } }
}
