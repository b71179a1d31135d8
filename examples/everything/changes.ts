import type { McpServer, ServerNotifier } from '@modelcontextprotocol/server'
import { say } from './say.ts'

/**
 * Tools that say that a list changed, though none did: to see what a client makes of it. Over HTTP a 2026 client
 * listens by a request of its own, which `notify` reaches; any other client hears it from the server it is connected to.
 */
export function addChanges(server: McpServer, notify?: ServerNotifier): void {
  server.registerTool('test_trigger_tool_change', { description: 'Says that the tools changed' }, () => {
    if (notify !== undefined) notify.toolsChanged()
    else server.sendToolListChanged()
    return say('Said so')
  })

  server.registerTool('test_trigger_prompt_change', { description: 'Says that the prompts changed' }, () => {
    if (notify !== undefined) notify.promptsChanged()
    else server.sendPromptListChanged()
    return say('Said so')
  })
}
