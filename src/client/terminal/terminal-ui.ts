import { setTimeout as sleep } from 'node:timers/promises'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { ElicitationUi, FormReply, FormRequest } from '../ui.ts'
import { askFormInTerminal } from './ask-form.ts'
import { askToOpen, showUrl } from './ask-url.ts'
import { askerName, showAsker } from './asker.ts'
import { Dialogue, type Input } from './dialogue.ts'
import { valueText } from './field-text.ts'
import { consentNeeded, formNeeded, type GivenAnswers, type PrefilledForm, prefill } from './given-answers.ts'
import { openBrowser } from './open-browser.ts'
import { type Output, Screen, type TerminalEnvironment } from './screen.ts'
import { ShownWait } from './shown-wait.ts'
import { TerminalQueue } from './terminal-queue.ts'

export interface TerminalOptions {
  /** Default: standard input. */
  readonly input?: Input
  /** Default: standard error, so that results alone are on standard output. */
  readonly output?: Output
  readonly env?: TerminalEnvironment
  /** Default: the system's browser. */
  readonly openUrl?: (url: string) => Promise<void>
  /** Answers given in advance, by field name. A form for which they are valid is sent without asking. */
  readonly answers?: GivenAnswers
  /** Agrees in advance to open pages whose address has no warnings. */
  readonly yesOpen?: boolean
  /** Agrees in advance to forms without required fields. */
  readonly yes?: boolean
}

const maxUnattendedWait = 10 * 60_000

/** Asks the person at a terminal. Without a terminal, a question without a given answer throws `InputNeeded`. */
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
  const queue = new TerminalQueue()
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
    const given = prefill(request, answers)
    const isAnswered = given.errors.length === 0 && (given.names.size > 0 || yes)
    if (isAnswered) {
      showPrefilled(screen, request, given)
      return { action: 'accept', content: given.content }
    }
    if (!hasPerson) throw formNeeded(request, given)
    const wrong = new Set(given.errors.map(({ field }) => field))
    const fitting = new Set([...given.names].filter((name) => !wrong.has(name)))
    return inDialogue(request.signal, (dialogue) =>
      askFormInTerminal(dialogue, screen, { ...request, filled: given.content }, fitting),
    )
  }

  return {
    form: (request) => queue.ask(async () => answer(request)),
    consentToOpen: (request) =>
      queue.ask(async () => {
        if (yesOpen && request.warnings.length === 0) {
          showUrl(screen, request)
          return 'open'
        }
        if (!hasPerson) throw consentNeeded(request)
        return inDialogue(request.signal, (dialogue) => askToOpen(dialogue, screen, request))
      }),
    open: (url) =>
      queue.ask(async () => {
        screen.print('Opening it in your browser. If no window appears, open this address yourself:')
        screen.raw(`  ${visibleLine(url, 10_000)}\n`)
        await openUrl(url).catch(() => screen.print('✗ No browser could be started.'))
      }),
    pageRefused({ reason, ...ask }) {
      showAsker(screen, ask, 'asks you to open a page')
      screen.print(`✗ Declined for you. ${visibleLine(reason, 1_000)}`)
    },
    async waiting(request) {
      if (hasPerson) return queue.wait(new ShownWait(input, screen, request), request.signal)
      screen.print(`${askerName(request.asker)} waits until the page is completed.`)
      return untilEnded(request.signal)
    },
  }
}

/**
 * Without a terminal nobody can report that they are done, so the wait ends when the server says so or time runs out.
 */
async function untilEnded(signal: AbortSignal): Promise<'done' | 'cancel'> {
  try {
    return await sleep(maxUnattendedWait, 'cancel', { ref: false, signal })
  } catch {
    return 'done'
  }
}

function showPrefilled(screen: Screen, { asker, schema }: FormRequest, { content }: PrefilledForm): void {
  const sent = Object.entries(schema.properties)
    .filter(([name]) => content[name] !== undefined)
    .map(([name, field]) => `${visibleLine(name)} = ${valueText(field, content[name])}`)
  screen.print(`Answered ${askerName(asker)}: ${sent.length === 0 ? 'yes' : sent.join(', ')}`)
}
