import { join } from 'node:path'
import { type ModelApp, type Place, writeSettings } from './app.ts'

const key = 'sk-ant-api03-fake'

export const claude: ModelApp = {
  kind: 'model',
  id: 'claude',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  configure: async ({ home, work, mcp }) => {
    await writeSettings(join(work, 'mcp.json'), { mcpServers: { assent: { type: 'http', url: mcp } } })
    await writeSettings(join(home, '.claude.json'), {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [key], rejected: [] },
      projects: { [work]: { hasTrustDialogAccepted: true } },
    })
  },
  headless: (place, prompt) => program(place, '-p', prompt),
  screen: {
    program: (place) => program(place),
    ready: /^❯/m,
    yes: ['Right', 'Enter', 'Enter'],
    visited: ['Right', 'Enter'],
    cancel: ['Escape'],
  },
  hooked: {
    name: 'claude-code',
    configure: ({ home }, command) => {
      const hooks = [{ type: 'command', command, timeout: 60 }]
      return writeSettings(join(home, '.claude/settings.json'), { hooks: { PreToolUse: [{ matcher: '*', hooks }] } })
    },
    headless: (place, prompt) => program(place, '-p', prompt),
    use: (command) => ({ tool: 'Bash', arguments: { command, description: 'Make a file' } }),
    takesEdits: true,
  },
}

function program({ home, work, model, packages }: Place, ...args: string[]) {
  const settings = ['--mcp-config', 'mcp.json', '--strict-mcp-config', '--allowedTools', 'mcp__assent,ToolSearch']
  return {
    command: [packages.bin('claude', 'claude'), ...args, ...settings],
    cwd: work,
    env: {
      HOME: home,
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: key,
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }
}
