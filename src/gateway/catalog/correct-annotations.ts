import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { ToolHints } from '../../definition/tool-hints.ts'
import type { KnownTool } from './fetch-list.ts'

/** What a server may say of itself without being trusted: it can only make a decision stricter. */
const strict: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}

/**
 * A tool with what the administrator says of it. Decisions believe that. Of what the server says besides, an untrusted
 * server's word is kept only where it makes the tool look worse. The digest stays that of the server's own words.
 */
export function correctAnnotations(tool: KnownTool, hints: ToolHints | undefined, trusted: boolean): KnownTool {
  if (hints === undefined) return tool
  const said = isPlainObject(tool.item.annotations) ? (tool.item.annotations as JsonObject) : {}
  const believed = Object.entries(said).filter(([name, value]) => trusted || strict[name] === value)
  const annotations = { ...Object.fromEntries(believed), ...hints } as JsonObject
  return {
    item: { ...tool.item, annotations: { ...said, ...hints } as JsonObject },
    facts: { ...tool.facts, annotations, trusted: true },
  }
}
