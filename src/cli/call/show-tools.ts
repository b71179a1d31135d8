import type { Tool } from '@modelcontextprotocol/client'
import { visibleLine } from '../../base/text/visible-text.ts'
import { propertiesOf, requiredOf, typeOf } from './tool-arguments.ts'

/** A tool in a few lines: its name, its description, its arguments. */
export function toolLines(tool: Tool): string[] {
  const title = tool.title ?? tool.annotations?.title
  const [about = ''] = (tool.description ?? '').trim().split('\n')
  const required = requiredOf(tool)
  const args = Object.entries(propertiesOf(tool)).map(
    ([name, schema]) => `${visibleLine(name, 60)}${required.has(name) ? '' : '?'}: ${visibleLine(typeOf(schema), 60)}`,
  )
  return [
    `${visibleLine(tool.name, 100)}${title === undefined ? '' : `  ${visibleLine(title, 100)}`}`,
    ...(about === '' ? [] : [`    ${visibleLine(about, 160)}`]),
    ...(args.length === 0 ? [] : [`    ${args.join(', ')}`]),
  ]
}
