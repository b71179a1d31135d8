import { join } from 'node:path'
import { type ModelApp, type Place, writeSettings } from './app.ts'

export const copilot: ModelApp = {
  kind: 'model',
  id: 'copilot',
  title: 'Copilot CLI',
  package: '@github/copilot',
  configure: ({ home, mcp }) =>
    writeSettings(join(home, '.copilot/mcp-config.json'), {
      mcpServers: { assent: { type: 'http', url: mcp, tools: ['*'] } },
    }),
  headless: (place, prompt) => program(place, '-p', prompt),
  screen: {
    program: (place) => program(place),
    ready: /MCP Servers? reloaded|^❯/m,
    start: { shows: /Do you trust/, keys: ['Enter'] },
    yes: ['Enter', 'Enter'],
    visited: ['Enter'],
    cancel: ['Escape'],
  },
}

function program({ home, work, model, packages }: Place, ...args: string[]) {
  return {
    command: [packages.bin('copilot', 'copilot'), '--allow-tool', 'assent', '--disable-builtin-mcps', ...args],
    cwd: work,
    env: {
      HOME: home,
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'fake',
      COPILOT_MODEL: 'fake',
      COPILOT_AUTO_UPDATE: 'false',
    },
  }
}
