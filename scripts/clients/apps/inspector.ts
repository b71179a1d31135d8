import type { CommandApp, Place } from './app.ts'

export const inspector: CommandApp = {
  kind: 'command',
  id: 'inspector',
  title: 'MCP Inspector',
  package: '@modelcontextprotocol/inspector',
  list: (place) => program(place, 'tools/list'),
  call: (place, { tool, arguments: given }) => {
    const pairs = Object.entries(given).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`])
    return program(place, 'tools/call', '--tool-name', tool, ...pairs)
  },
}

function program({ home, work, mcp, packages }: Place, method: string, ...args: string[]) {
  return {
    command: [packages.bin('inspector', 'mcp-inspector'), '--cli', mcp, '--method', method, ...args],
    cwd: work,
    env: { HOME: home },
  }
}
