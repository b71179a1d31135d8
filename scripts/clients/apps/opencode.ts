import { join } from 'node:path'
import { type ModelApp, type Place, writeSettings } from './app.ts'

export const opencode: ModelApp = {
  kind: 'model',
  id: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  configure: ({ work, mcp, model }) =>
    writeSettings(join(work, 'opencode.json'), {
      model: 'fake/fake',
      small_model: 'fake/fake',
      autoupdate: false,
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${model}/v1`, apiKey: 'fake' },
          models: { fake: { tool_call: true } },
        },
      },
      permission: { 'assent_*': 'allow' },
      mcp: { assent: { type: 'remote', url: mcp, enabled: true } },
    }),
  headless: (place, prompt) => program(place, 'run', prompt),
  screen: { program: (place) => program(place), ready: /Ask anything/ },
}

function program({ home, work, packages }: Place, ...args: string[]) {
  return {
    command: [packages.bin('opencode', 'opencode'), ...args],
    cwd: work,
    env: { HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1' },
  }
}
