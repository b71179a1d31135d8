import { approvalIn } from '../../approval/question/subject.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { type Output, Screen, type TerminalEnvironment } from '../../client/terminal/screen.ts'
import type { Channel } from '../../elicitation/channel.ts'
import { type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import { momentText } from '../show-table.ts'

export interface BellOptions {
  readonly output: Output
  readonly env: TerminalEnvironment
  /** Resolves when the question is settled, in whatever process; with one that is still open when everything ends. */
  readonly settled: (id: ElicitationId) => Promise<Elicitation>
  readonly clock?: Clock
  /** How long a client that may show a form has for its person to answer before the bell rings. */
  readonly patienceMs?: number
}

/** A line with a bell in the terminal where Assent runs, so that no question waits in silence; and one when it is settled. */
export function bellChannel(options: BellOptions): Channel {
  const { output, env, settled, clock = systemClock, patienceMs = 10_000 } = options
  const screen = new Screen(output, env)
  // Where there is no ear, the sign would only be one more character.
  const bell = screen.canRedraw ? '\x07' : ''

  return {
    name: 'bell',
    async tell(elicitation, link) {
      // Settled here or in another process, `settled` says so.
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

/** A form for the requester is put to their own client first. */
function mayBeShown({ question, answerers, requester }: Elicitation): boolean {
  return question.mode === 'form' && answerers.through === 'client' && answerers.anyOf.includes(requester.participant)
}

/** Names only: what a server says belongs on a page. */
function waitingWords(elicitation: Elicitation): string {
  const { answerers, expiresAt } = elicitation
  const whose = answerers.anyOf.slice(0, mostNames).map(said)
  const more = answerers.anyOf.length - whose.length
  return `${subject(elicitation)}. It waits for ${whose.join(' or ')}${more > 0 ? ` (and ${more} more)` : ''}, until ${momentText(expiresAt)}:`
}

const mostNames = 3

function settledWords(elicitation: Elicitation): string {
  return `${subject(elicitation)}: ${statusOf(elicitation)}.`
}

function subject(elicitation: Elicitation): string {
  const { requester, origin } = elicitation
  const client = said(requester.clientName ?? requester.client)
  const about = approvalIn(elicitation)
  return about === undefined
    ? `${said(origin.server)} has a question, through ${client}`
    : `${client} wants to run ${said(about.call.tool)} on ${said(origin.server)}`
}

function said(name: string): string {
  return visibleLine(name, 60)
}
