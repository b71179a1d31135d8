import type { Command } from 'commander'
import { toolsCommand } from './space.ts'

/** A hidden command, which the gateway starts as it starts any stdio server. */
export function addDemoToolsCommand(program: Command): void {
  program.command(toolsCommand, { hidden: true }).action(async () => {
    const { serveDemoTools } = await import('./tools-server.ts')
    await serveDemoTools()
  })
}
