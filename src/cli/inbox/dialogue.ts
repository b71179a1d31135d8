import { setTimeout as sleep } from 'node:timers/promises'
import { doneWords } from '../../approval/question/voting-words.ts'
import type { Assent } from '../../assent.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { askFormInTerminal } from '../../client/terminal/ask-form.ts'
import { Dialogue, type Input } from '../../client/terminal/dialogue.ts'
import { openBrowser } from '../../client/terminal/open-browser.ts'
import { type Output, Screen, type TerminalEnvironment } from '../../client/terminal/screen.ts'
import { type Answer, isSettled } from '../../elicitation/elicitation.ts'
import { defaultsOf } from '../../elicitation/form/defaults.ts'
import { statusOf } from '../../elicitation/result.ts'
import { answerApproval, type Outcome } from './answer.ts'
import { atTerminal, type InboxItem, readInbox } from './read.ts'
import { answerTogether } from './several.ts'
import { showWaiting } from './show.ts'

/** A person at a terminal. */
export interface AtTerminal {
  readonly input: Input
  readonly output: Output
  readonly env: TerminalEnvironment
  /** Whether to wait for more questions when all are answered. */
  readonly watch: boolean
  readonly signal: AbortSignal
  readonly openUrl?: (url: string) => Promise<void>
}

const lookEveryMs = 1_000

/** Asks the person the open questions one by one, the newest of each client first. */
export async function answerInbox(assent: Assent, at: AtTerminal): Promise<void> {
  const screen = new Screen(at.output, at.env)
  const shown = new Set<string>()
  const marked = new Set<string>()
  let saidThatNothingWaits = false
  while (!at.signal.aborted) {
    const all = await readInbox(assent)
    const fresh = all.filter(({ asked }) => !shown.has(asked.id) && doneWords(asked, atTerminal) === undefined)
    const [next] = fresh
    if (next === undefined) {
      if (marked.size > 0) {
        // As they stand now; what was settled meanwhile is left out.
        const still = all.filter(({ asked }) => marked.has(asked.id))
        if (still.length < marked.size)
          screen.print(`${marked.size - still.length} of the marked were settled elsewhere.`)
        marked.clear()
        if (still.length > 0) await answerMarked(assent, screen, at, still)
        continue
      }
      if (!saidThatNothingWaits) screen.print(nothingWords(all.length, at.watch))
      if (!at.watch) return
      saidThatNothingWaits = true
      await sleep(lookEveryMs, undefined, { signal: at.signal }).catch(() => {})
      continue
    }
    shown.add(next.asked.id)
    saidThatNothingWaits = false
    const outcome = await answerOne(assent, screen, at, next, { left: fresh.length, hasMarked: marked.size > 0 })
    if (outcome === 'marked') marked.add(next.asked.id)
    // Whoever leaves with questions marked has answered none of them.
    if (outcome === 'quit') return
  }
}

/** Shows what was marked, each in full, and takes one answer for all. */
async function answerMarked(
  assent: Assent,
  screen: Screen,
  at: AtTerminal,
  items: readonly InboxItem[],
): Promise<void> {
  const dialogue = await Dialogue.open(at.input, screen, at.signal)
  try {
    await answerTogether({ assent, dialogue, screen, items })
  } finally {
    dialogue.close()
  }
}

function nothingWords(skipped: number, watch: boolean): string {
  const left =
    skipped === 0 ? 'No question waits for you.' : `${skipped} ${skipped === 1 ? 'question' : 'questions'} skipped.`
  return watch ? `${left} Waiting for more; press Ctrl-C to stop.` : left
}

async function answerOne(
  assent: Assent,
  screen: Screen,
  at: AtTerminal,
  one: InboxItem,
  { left, hasMarked }: { readonly left: number; readonly hasMarked: boolean },
): Promise<Outcome> {
  const gone = new AbortController()
  const over = AbortSignal.any([gone.signal, at.signal])
  const leaving = new AbortController()
  // The question may be answered elsewhere while the person reads it.
  const settledElsewhere = assent
    .wait(one.asked.id, { signal: leaving.signal })
    .then((seen) => {
      if (isSettled(seen) && !leaving.signal.aborted) gone.abort(statusOf(seen))
    })
    .catch(() => {})
  showWaiting(screen, one, assent.clock.now(), left > 1 ? `1 of ${left}  ` : '')
  const dialogue = await Dialogue.open(at.input, screen, over)
  try {
    const outcome = await askOne({ assent, dialogue, screen, at, one, signal: over, mayMark: left > 1 || hasMarked })
    if (!gone.signal.aborted || outcome === 'answered') return outcome
    screen.print(`The question was settled elsewhere: ${gone.signal.reason}.`)
    return 'answered'
  } finally {
    dialogue.close()
    leaving.abort()
    await settledElsewhere
  }
}

/** One question, and the terminal at which it is asked. */
interface AskedAtTerminal {
  readonly assent: Assent
  readonly dialogue: Dialogue
  readonly screen: Screen
  readonly at: AtTerminal
  readonly one: InboxItem
  readonly signal: AbortSignal
  readonly mayMark: boolean
}

function askOne(asking: AskedAtTerminal): Promise<Outcome> {
  const { approval, asked } = asking.one
  if (approval !== undefined) return answerApproval({ ...asking, approval })
  return asked.purpose === 'input' && asked.question.mode === 'form' ? fillForm(asking) : visitPage(asking)
}

/** Asks for the fields of a form. A person who leaves it can answer it later. */
async function fillForm({ assent, dialogue, screen, one: { asked }, signal }: AskedAtTerminal): Promise<Outcome> {
  const { question, origin } = asked
  if (question.mode !== 'form') return 'skipped'
  let request: Parameters<typeof askFormInTerminal>[2] = {
    asker: { server: origin.server },
    message: question.message,
    schema: question.schema,
    filled: defaultsOf(question.schema),
    errors: [],
    signal,
  }
  for (;;) {
    const reply = await askFormInTerminal(dialogue, screen, request)
    if (reply.action === 'cancel') return signal.aborted ? 'quit' : 'skipped'
    const answered = await assent.answer(asked.id, atTerminal, reply as Answer)
    if (answered.kind !== 'invalid') return 'answered'
    request = { ...request, errors: answered.errors, ...(reply.action === 'accept' && { filled: reply.content }) }
  }
}

/** Secrets and accounts are for a page. A plain confirmation can be given here too. */
async function visitPage({ assent, dialogue, screen, at, one }: AskedAtTerminal): Promise<Outcome> {
  const { asked, link } = one
  const canConfirm = asked.purpose === 'confirm' && asked.question.schema === undefined
  const openUrl = at.openUrl ?? ((url: string) => openBrowser(url, at.env))
  for (;;) {
    const words = [...(canConfirm ? ['y yes'] : []), 'o open its page', 'd decline', 's skip', 'q quit']
    screen.print(words.join(' · '), { style: 'dim' })
    const said = await dialogue.ask('› ')
    if (said.kind === 'exit' && said.action === 'cancel') return 'quit'
    const word = said.kind === 'text' ? said.text.toLowerCase() : said.kind === 'exit' ? 'd' : `:${said.name}`
    if (word === 's' || word === 'skip') return 'skipped'
    if (word === 'q' || word === 'quit') return 'quit'
    if (word === 'o' || word === 'open') {
      await openUrl(link).catch(() => screen.print('✗ No browser could be started. Open the address yourself.'))
    } else if (word === 'd' || word === 'decline') {
      await assent.answer(asked.id, atTerminal, { action: 'decline' })
      return 'answered'
    } else if (canConfirm && (word === 'y' || word === 'yes')) {
      await assent.answer(asked.id, atTerminal, { action: 'accept' })
      return 'answered'
    } else
      screen.print(
        word === '' ? '✗ You have not answered yet.' : `✗ ${visibleLine(word, 40)} is not one of the choices.`,
      )
  }
}
