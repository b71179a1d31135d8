import { setTimeout as sleep } from 'node:timers/promises'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { ElicitationUi, FormReply, FormRequest } from '../ui.ts'
import { askForm } from './ask-form.ts'
import { askToOpen, showUrl } from './ask-url.ts'
import { named, showAsker } from './asker.ts'
import { Dialogue, type Input } from './dialogue.ts'
import { shownValue } from './field-words.ts'
import { consentNeeded, fillIn, formNeeded, type Given, type GivenAnswers } from './given-answers.ts'
import { openBrowser } from './open-browser.ts'
import { type Environment, type Output, Screen } from './screen.ts'
import { Stage } from './stage.ts'
import { ShownWait } from './wait.ts'

export interface TerminalOptions {
  /** Default: standard input. */
  readonly input?: Input
  /** Default: standard error, so that results alone are on standard output. */
  readonly output?: Output
  readonly env?: Environment
  /** Default: the system's browser. */
  readonly openUrl?: (url: string) => Promise<void>
  /** By field name. A form that they fill in is sent without asking. */
  readonly answers?: GivenAnswers
  /** Says yes beforehand to pages with nothing odd about their address. */
  readonly yesOpen?: boolean
  /** Says yes beforehand to forms in which nothing must be filled in. */
  readonly yes?: boolean
}

const longestBlindWait = 10 * 60_000

/** Asks the person at a terminal. Where there is none, what cannot be answered throws `InputNeeded` and nothing hangs. */
export function terminalUi({
  input = process.stdin,
  output = process.stderr,
  env = process.env,
  openUrl = (url) => openBrowser(url, env),
  answers = new Map(),
  yesOpen = false,
  yes = false,
}: TerminalOptions = {}): ElicitationUi {
  const screen = new Screen(output, env)
  const stage = new Stage()
  const hasPerson = input.isTTY === true && output.isTTY === true

  async function inDialogue<T>(signal: AbortSignal, work: (dialogue: Dialogue) => Promise<T>): Promise<T> {
    const dialogue = await Dialogue.open(input, screen, signal)
    try {
      return await work(dialogue)
    } finally {
      dialogue.close()
    }
  }

  function answer(request: FormRequest): Promise<FormReply> | FormReply {
    const given = fillIn(request, answers)
    const isAnswered = given.errors.length === 0 && (given.names.size > 0 || yes)
    if (isAnswered) {
      showGiven(screen, request, given)
      return { action: 'accept', content: given.content }
    }
    if (!hasPerson) throw formNeeded(request, given)
    const wrong = new Set(given.errors.map(({ field }) => field))
    const fitting = new Set([...given.names].filter((name) => !wrong.has(name)))
    return inDialogue(request.signal, (dialogue) =>
      askForm(dialogue, screen, { ...request, filled: given.content }, fitting),
    )
  }

  return {
    form: (request) => stage.question(async () => answer(request)),
    consentToOpen: (request) =>
      stage.question(async () => {
        if (yesOpen && request.warnings.length === 0) {
          showUrl(screen, request)
          return 'open'
        }
        if (!hasPerson) throw consentNeeded(request)
        return inDialogue(request.signal, (dialogue) => askToOpen(dialogue, screen, request))
      }),
    open: (url) =>
      stage.question(async () => {
        screen.say('Opening it in your browser. If no window comes up, open this address yourself:')
        screen.raw(`  ${visibleLine(url, 10_000)}\n`)
        await openUrl(url).catch(() => screen.say('✗ No browser could be started here.'))
      }),
    pageRefused({ reason, ...ask }) {
      showAsker(screen, ask, 'asks you to open a page')
      screen.say(`✗ Declined for you. ${visibleLine(reason, 1_000)}`)
    },
    async waiting(request) {
      if (hasPerson) return stage.wait(new ShownWait(input, screen, request), request.signal)
      screen.say(`${named(request.asker)} waits until the page is finished.`)
      return over(request.signal)
    },
  }
}

/** Nobody can say that they are done: it ends when the server says so, or in good time. */
async function over(signal: AbortSignal): Promise<'done' | 'cancel'> {
  try {
    return await sleep(longestBlindWait, 'cancel', { ref: false, signal })
  } catch {
    return 'done'
  }
}

function showGiven(screen: Screen, { asker, schema }: FormRequest, { content }: Given): void {
  const sent = Object.entries(schema.properties)
    .filter(([name]) => content[name] !== undefined)
    .map(([name, field]) => `${visibleLine(name)} = ${shownValue(field, content[name])}`)
  screen.say(`Answered ${named(asker)}: ${sent.length === 0 ? 'yes' : sent.join(', ')}`)
}
