import type { Command } from 'commander'
import { agentsCommand, demoSpaceIn } from './space.ts'

/** A hidden command, which the gateway starts as it starts any stdio server: two small agents of the demo's space. */
export function addDemoAgentsCommand(program: Command): void {
  program.command(agentsCommand, { hidden: true }).action(async () => {
    const [{ serveDemoAgents }, { joinSpace }] = await Promise.all([
      import('./agents-server.ts'),
      import('../../agent/join-space.ts'),
    ])
    await serveDemoAgents(demoSpaceIn(process.env), joinSpace)
  })
}
