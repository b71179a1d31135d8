import { approvalIn } from '../../approval/question/subject.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import { behindText, clientText, nameText } from '../../base/text/names.ts'
import { type Output, Screen, type TerminalEnvironment } from '../../client/terminal/screen.ts'
import type { Channel } from '../../elicitation/channel.ts'
import { type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import { agentsBehind, namedClient } from '../../participant/requester.ts'
import { momentText } from '../show-table.ts'

export interface BellOptions {
  readonly output: Output
  readonly env: TerminalEnvironment
  /** Resolves with the question when any process settles it, or while it is open when Assent is closed. */
  readonly settled: (id: ElicitationId) => Promise<Elicitation>
  readonly clock?: Clock
  /** How long the bell waits for a question that the client may show as a form. */
  readonly patienceMs?: number
}

/** Prints each open question with a bell in the terminal where Assent runs, and prints again when it is settled. */
export function bellChannel(options: BellOptions): Channel {
  const { output, env, settled, clock = systemClock, patienceMs = 10_000 } = options
  const screen = new Screen(output, env)
  // Only a terminal can ring; elsewhere the character would end up in a file.
  const bell = screen.canRedraw ? '\x07' : ''

  return {
    name: 'bell',
    async tell(elicitation, link) {
      // The end of a question is reported by `settled`, which knows of other processes too.
      if (isSettled(elicitation)) return
      let hasRung = false
      const ring = () => {
        hasRung = true
        screen.raw(`${bell}${screen.bold(waitingWords(elicitation))}\n  ${link}\n`)
      }
      const callOff = clock.after(mayBeShown(elicitation) ? patienceMs : 0, ring)
      const end = await settled(elicitation.id).finally(callOff)
      if (hasRung && isSettled(end)) screen.raw(`${settledWords(end)}\n`)
    },
  }
}

/** Whether the requester's own client may show the question as a form. */
function mayBeShown({ question, answerers, requester }: Elicitation): boolean {
  return question.mode === 'form' && answerers.through === 'client' && answerers.anyOf.includes(requester.participant)
}

/** Names only. The server's own words are shown on the page, where they are marked as such. */
function waitingWords(elicitation: Elicitation): string {
  const { answerers, expiresAt } = elicitation
  const whose = answerers.anyOf.slice(0, mostNames).map(nameText)
  const more = answerers.anyOf.length - whose.length
  return `${subject(elicitation)}. It waits for ${whose.join(' or ')}${more > 0 ? ` (and ${more} more)` : ''}, until ${momentText(expiresAt)}:`
}

const mostNames = 3

function settledWords(elicitation: Elicitation): string {
  const status = statusOf(elicitation)
  return `${subject(elicitation)}: ${status === 'complete' ? 'answered' : status}.`
}

function subject(elicitation: Elicitation): string {
  const { requester, origin } = elicitation
  const client = clientText(namedClient(requester), 'asker') + behindText(agentsBehind(requester))
  const about = approvalIn(elicitation)
  return about === undefined
    ? `${nameText(origin.server)} has a question, through ${client}`
    : `${atStart(client)} wants to run ${nameText(about.call.tool)} on ${nameText(origin.server)}`
}

/** The name of a client stays as it is written. */
const atStart = (client: string) => client.replace(/^a program\b/, 'A program')
