import { joinSpace } from 'assent/hub'
import { z } from 'zod'

/** An agent with a tool. It asks nobody: the hub does, by its policy. */
const space = await joinSpace({
  url: process.env.SPACE ?? 'ws://127.0.0.1:4180/hub/ops',
  token: process.env.AGENT_B_TOKEN ?? '',
})
await space.serveTools({
  deploy: {
    description: 'Deploys the current version',
    inputSchema: z.object({ target: z.enum(['production', 'staging', 'development']) }),
    run: ({ target }: { target: string }) => {
      console.log(`Deploying to ${target}.`)
      return `Deployed to ${target}.`
    },
  },
})
console.log(`${space.id} serves deploy.`)
