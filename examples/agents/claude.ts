import { type Options, query } from '@anthropic-ai/claude-agent-sdk'
import type { Assent } from 'assent'
import { claudeOptions, createToolGate } from 'assent/agents'

/** Works on a prompt. Tools that would ask a person at the terminal wait for a yes in the inbox, as policy says. */
export async function work(assent: Assent, prompt: string, options: Options = {}): Promise<string> {
  const gate = createToolGate(assent, { server: 'claude' })
  // No settings of the machine: they may allow tools, and then nobody is asked.
  const guarded: Options = { ...options, settingSources: [], ...claudeOptions(gate) }
  for await (const message of query({ prompt, options: guarded })) {
    if (message.type !== 'result') continue
    return message.subtype === 'success' ? message.result : `Failed: ${message.subtype}`
  }
  return 'It ended without a result.'
}
