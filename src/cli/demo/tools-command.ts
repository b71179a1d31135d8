import type { Command } from 'commander'

export const toolsCommand = 'demo-tools'

/** A hidden command, which the gateway starts as it starts any stdio server. */
export function addDemoToolsCommand(program: Command): void {
  program.command(toolsCommand, { hidden: true }).action(async () => {
    const { serveDemoTools } = await import('./tools-server.ts')
    await serveDemoTools()
  })
}
