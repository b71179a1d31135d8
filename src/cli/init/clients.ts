import { join } from 'node:path'

/** Where files of clients are looked for. */
export interface Places {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder of a project whose files are changed too; undefined: those of the person alone. */
  readonly project?: string
}

/** A client whose servers can be put behind Assent. */
export interface InitClient {
  readonly id: string
  readonly name: string
  readonly format: 'json' | 'toml'
  /** The keys that lead to its servers, each a path. `*` stands for every key. */
  readonly servers: readonly (readonly string[])[]
  /** `split`: `command` and `args`. `joined`: `command` is a list that holds both. */
  readonly commandLine: 'split' | 'joined'
  /** Its files, those of the person first. */
  files(places: Places): string[]
}

const mcpServers = [['mcpServers']]

/** Every client that `assent init` knows. */
export const initClients: readonly InitClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    servers: [['mcpServers'], ['projects', '*', 'mcpServers']],
    commandLine: 'split',
    files: (places) => [join(places.home, '.claude.json'), ...inProject(places, '.mcp.json')],
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    format: 'json',
    servers: mcpServers,
    commandLine: 'split',
    files: (places) => [join(applicationData(places), 'Claude', 'claude_desktop_config.json')],
  },
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    servers: [['servers']],
    commandLine: 'split',
    files: (places) => [
      join(applicationData(places), 'Code', 'User', 'mcp.json'),
      ...inProject(places, '.vscode/mcp.json'),
    ],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    servers: mcpServers,
    commandLine: 'split',
    files: (places) => [join(places.home, '.cursor', 'mcp.json'), ...inProject(places, '.cursor/mcp.json')],
  },
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    servers: [['mcp_servers']],
    commandLine: 'split',
    files: (places) => [
      join(places.env.CODEX_HOME || join(places.home, '.codex'), 'config.toml'),
      ...inProject(places, '.codex/config.toml'),
    ],
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    format: 'json',
    servers: mcpServers,
    commandLine: 'split',
    files: (places) => [join(places.home, '.gemini', 'settings.json'), ...inProject(places, '.gemini/settings.json')],
  },
  {
    id: 'opencode',
    name: 'opencode',
    format: 'json',
    servers: [['mcp']],
    commandLine: 'joined',
    files: (places) => {
      const folder = join(configHome(places), 'opencode')
      const names = ['opencode.json', 'opencode.jsonc']
      return [...names.map((name) => join(folder, name)), ...names.flatMap((name) => inProject(places, name))]
    },
  },
]

/** Where programs keep the settings of a person. */
export function configHome({ home, env }: Places): string {
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

function applicationData(places: Places): string {
  const { home, platform, env } = places
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  return configHome(places)
}

function inProject({ project }: Places, file: string): string[] {
  return project === undefined ? [] : [join(project, file)]
}
