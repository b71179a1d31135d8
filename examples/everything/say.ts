import type { CallToolResult } from '@modelcontextprotocol/server'

/** A tool's answer in words. */
export function say(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}
