import { join } from 'node:path'
import { type ModelApp, type Place, writeSettings } from './app.ts'

export const gemini: ModelApp = {
  kind: 'model',
  id: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  configure: ({ home, mcp }) =>
    writeSettings(join(home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      mcpServers: { assent: { httpUrl: mcp, trust: true } },
    }),
  headless: (place, prompt) => program(place, '-p', prompt),
  screen: { program: (place) => program(place), ready: /Type your message/ },
}

function program({ home, work, model, packages }: Place, ...args: string[]) {
  return {
    command: [packages.bin('gemini', 'gemini'), '-m', 'gemini-2.5-flash', '--yolo', ...args],
    cwd: work,
    env: {
      HOME: home,
      GEMINI_API_KEY: 'fake',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
  }
}
