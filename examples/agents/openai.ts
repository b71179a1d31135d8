import { Agent, type RunConfig, Runner, tool } from '@openai/agents'
import type { Assent } from 'assent'
import { createToolGate, openAiTools } from 'assent/agents'
import { z } from 'zod'

export const deployed: string[] = []
export const deploy = tool({
  name: 'deploy',
  description: 'Deploys a change',
  parameters: z.object({ env: z.string().min(2) }),
  execute: async ({ env }) => `Deployed to ${deployed[deployed.push(env) - 1]}`,
})

/** Works on a prompt. Calls of tools interrupt the run until they are answered in the inbox, as policy says. */
export async function work(assent: Assent, prompt: string, config: Partial<RunConfig> = {}) {
  const guard = openAiTools(createToolGate(assent, { server: 'my-agent' }), [deploy])
  const agent = new Agent({ name: 'Deployer', tools: guard.tools })
  const runner = new Runner(config)
  let result = await runner.run(agent, prompt)
  while (result.interruptions.length > 0) {
    // Pending: keep `result.state.toString()`, and run it when the person has answered.
    const pending = await guard.answerInterruptions(result)
    if (pending.length > 0) return { pending, state: result.state.toString() }
    result = await runner.run(agent, result.state)
  }
  return { text: result.finalOutput }
}
