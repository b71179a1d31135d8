import { visibleLine } from '../../base/text/visible-text.ts'
import type { ToolCall } from '../tool-call.ts'
import type { Choice, Reach } from './choices.ts'

/** A choice in words for the approver, who may be someone else than the requester. */
export function choiceWords(choice: Choice, call: ToolCall, isOwn: boolean): string {
  switch (choice.kind) {
    case 'allow_once':
      return 'Allow once, with these arguments'
    case 'always_allow':
      return `Allow ${reachWords(choice, call, isOwn)}`
    case 'deny':
      return 'Deny'
    case 'always_deny':
      return `Deny ${reachWords(choice, call, isOwn)}`
  }
}

function reachWords({ scope, lasts, client }: Reach, call: ToolCall, isOwn: boolean): string {
  const what = scope === 'tool' ? named(call.tool) : `every tool of ${named(call.server)}`
  const whose = client === 'this' ? clientWords(call) : isOwn ? 'all my clients' : 'all their clients'
  return `${what} ${lastsWords[lasts]}, for ${whose}`
}

const lastsWords: Readonly<Record<Reach['lasts'], string>> = {
  hour: 'for an hour',
  day: 'for a day',
  revoked: 'until revoked',
}

/** The client calls itself so; its id is what counts, and stands beside it where the two differ. */
function clientWords({ requester: { client, clientName } }: ToolCall): string {
  return clientName === undefined || clientName === client ? named(client) : `${named(clientName)} (${named(client)})`
}

function named(name: string): string {
  return visibleLine(name, 80)
}
