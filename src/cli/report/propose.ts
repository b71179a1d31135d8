import type { Effect } from '../../approval/policy/policy.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { ToolTally } from './tally.ts'

/** A rule that a report proposes for one tool, and why. */
export interface Proposal {
  readonly server: string
  readonly tool: string
  readonly decide: Effect
  readonly answer?: 'page'
  /** For whoever reads the draft. */
  readonly because: string
}

const reading = new Set(
  'read get list search find fetch describe show view count status lookup tree info log diff'.split(' '),
)
const deleting = new Set('delete remove drop destroy purge erase reset revoke truncate kill'.split(' '))

/** So many times must people have said the same before a rule is proposed that says it for them. */
const oftenEnough = 5

/** Proposes a rule for each tool that no rule named. A name proves nothing: a person reads the draft before it is used. */
export function propose(tools: Iterable<ToolTally>): Proposal[] {
  return [...tools]
    .filter(({ unnamed, server, tool }) => unnamed > 0 && isPlain(server) && isPlain(tool))
    .map(proposalFor)
    .sort((one, other) => one.server.localeCompare(other.server) || one.tool.localeCompare(other.tool))
}

/** A name with a wildcard would be a rule about others too, and one that is not shown as it is cannot be judged by eye. */
function isPlain(name: string): boolean {
  return !/[*?]/.test(name) && visibleLine(name) === name
}

function proposalFor(tally: ToolTally): Proposal {
  const { server, tool, calls, approved, declined } = tally
  const times = calls === 1 ? '1 call' : `${calls} calls`
  const words = wordsOf(tool)
  if (declined > 0 && approved === 0 && declined >= oftenEnough) {
    return { server, tool, decide: 'deny', because: `${times}, ${declined} declined, none approved` }
  }
  if (words.some((word) => deleting.has(word))) {
    return { server, tool, decide: 'ask', answer: 'page', because: `${times}, named as if it deletes` }
  }
  if (declined > 0) return { server, tool, decide: 'ask', because: `${times}, ${declined} declined` }
  if (approved >= oftenEnough) {
    return { server, tool, decide: 'allow', because: `${times}, ${approved} approved, none declined` }
  }
  if (words.some((word) => reading.has(word))) {
    return { server, tool, decide: 'allow', because: `${times}, named as if it only reads` }
  }
  return { server, tool, decide: 'ask', because: times }
}

/** The words in a name such as `read_text_file`, `getIssue` or `git-diff`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}
