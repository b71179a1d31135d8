import { isDeepStrictEqual } from 'node:util'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { isPlainObject } from '../../base/json.ts'
import { unbounded, visibleLine, visibleText } from '../../base/text/visible-text.ts'
import { outcomeKey } from '../../mcp/meta-keys.ts'

/** The lines of a result: text as it is, and for any other content a line that describes it. */
export function resultLines({ content = [], structuredContent, _meta }: CallToolResult): string[] {
  // For old clients, servers repeat structured content as text, and Assent's outcome as structured content.
  const blocks = content.filter((block) => block.type !== 'text' || !says(block.text, structuredContent))
  const isRepeated = structuredContent === undefined || isDeepStrictEqual(structuredContent, _meta?.[outcomeKey])
  const structured = isRepeated ? [] : [visibleText(JSON.stringify(structuredContent, null, 2), unbounded)]
  return [...blocks.flatMap(blockLines), ...structured]
}

/** What Assent at the server says about a call that did not run. */
export function outcomeOf({ _meta }: CallToolResult): string | undefined {
  const outcome = _meta?.[outcomeKey]
  if (!isPlainObject(outcome) || typeof outcome.status !== 'string') return undefined
  const known = Object.hasOwn(outcomes, outcome.status) ? outcomes[outcome.status] : undefined
  return known ?? `The call ended as ${visibleLine(outcome.status, 60)}.`
}

const outcomes: Readonly<Record<string, string>> = {
  declined: 'You declined: nothing was done.',
  cancelled: 'You cancelled: nothing was done.',
  expired: 'Nobody answered in time: nothing was done.',
  denied: 'The call was denied: nothing was done.',
  pending: 'Somebody else still has to answer. Call again when they have.',
}

function says(text: string, structured: unknown): boolean {
  if (structured === undefined) return false
  try {
    return isDeepStrictEqual(JSON.parse(text), structured)
  } catch {
    return false
  }
}

function blockLines(block: ContentBlock): string[] {
  switch (block.type) {
    case 'text':
      return [visibleText(block.text, unbounded)]
    case 'image':
    case 'audio':
      return [`[${block.type} ${visibleLine(block.mimeType, 60)}, ${sizeOf(block.data)}]`]
    case 'resource_link':
      return [`[link ${visibleLine(block.title ?? block.name, 100)}: ${visibleLine(block.uri, 2_000)}]`]
    case 'resource': {
      const { uri, mimeType } = block.resource
      const about = `${visibleLine(uri, 2_000)}${mimeType === undefined ? '' : ` ${visibleLine(mimeType, 60)}`}`
      return 'text' in block.resource
        ? [`[resource ${about}]`, visibleText(block.resource.text, unbounded)]
        : [`[resource ${about}, ${sizeOf(block.resource.blob)}]`]
    }
    default:
      return [`[${visibleLine(String((block as { type?: unknown }).type), 60)}]`]
  }
}

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
  return bytes < 1_000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
}
