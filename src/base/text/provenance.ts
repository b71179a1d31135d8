import { visibleText } from './visible-text.ts'

/** Text of an upstream, marked with the upstream's name. The mark comes first and is ours, so it cannot be forged. */
export function fromUpstream(server: string, message: string): string {
  return `[${server}] ${visibleText(message)}`
}
