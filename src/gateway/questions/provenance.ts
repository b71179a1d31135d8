import { visibleText } from '../../base/text/visible-text.ts'

/** What an upstream says carries its origin, and cannot pass for another's: the mark is ours, and stands first. */
export function fromUpstream(server: string, message: string): string {
  return `[${server}] ${visibleText(message)}`
}
