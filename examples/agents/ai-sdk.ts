import { generateText, type LanguageModel, stepCountIs, tool } from 'ai'
import type { Assent } from 'assent'
import { aiSdkTools, createToolGate } from 'assent/agents'
import { z } from 'zod'

export const deployed: string[] = []
export const deploy = tool({
  description: 'Deploys a change',
  inputSchema: z.object({ env: z.string().min(2) }),
  execute: async ({ env }) => {
    deployed.push(env)
    return `Deployed to ${env}`
  },
})

/** Works on a prompt. Calls of tools wait for a yes in the inbox, as policy says. */
export async function work(assent: Assent, model: LanguageModel, prompt: string) {
  const gate = createToolGate(assent, { server: 'my-agent' })
  return generateText({ model, prompt, ...aiSdkTools(gate, { deploy }), stopWhen: stepCountIs(10) })
}
