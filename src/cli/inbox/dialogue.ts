import { setTimeout as sleep } from 'node:timers/promises'
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
import { showWaiting } from './show.ts'

/** A person at a terminal. */
export interface AtTerminal {
  readonly input: Input
  readonly output: Output
  readonly env: TerminalEnvironment
  /** Wait for more when all is answered. */
  readonly watch: boolean
  readonly signal: AbortSignal
  readonly openUrl?: (url: string) => Promise<void>
}

const lookEveryMs = 1_000

/** Puts what waits to the person, one question after the other, most urgent first. */
export async function answerInbox(assent: Assent, at: AtTerminal): Promise<void> {
  const screen = new Screen(at.output, at.env)
  const shown = new Set<string>()
  let saidThatNothingWaits = false
  while (!at.signal.aborted) {
    const all = await readInbox(assent)
    const fresh = all.filter(({ asked }) => !shown.has(asked.id))
    const [next] = fresh
    if (next === undefined) {
      if (!saidThatNothingWaits) screen.print(nothingWords(all.length, at.watch))
      if (!at.watch) return
      saidThatNothingWaits = true
      await sleep(lookEveryMs, undefined, { signal: at.signal }).catch(() => {})
      continue
    }
    shown.add(next.asked.id)
    saidThatNothingWaits = false
    if ((await answerOne(assent, screen, at, next, fresh.length)) === 'quit') return
  }
}

function nothingWords(skipped: number, watch: boolean): string {
  const left =
    skipped === 0 ? 'Nothing waits for you.' : `${skipped} ${skipped === 1 ? 'question' : 'questions'} skipped.`
  return watch ? `${left} Waiting for more; Ctrl-C ends it.` : left
}

async function answerOne(
  assent: Assent,
  screen: Screen,
  at: AtTerminal,
  one: InboxItem,
  left: number,
): Promise<Outcome> {
  const gone = new AbortController()
  const over = AbortSignal.any([gone.signal, at.signal])
  const leaving = new AbortController()
  // Someone may answer elsewhere while the person reads.
  const settledElsewhere = assent
    .wait(one.asked.id, { signal: leaving.signal })
    .then((seen) => {
      if (isSettled(seen) && !leaving.signal.aborted) gone.abort(statusOf(seen))
    })
    .catch(() => {})
  showWaiting(screen, one, assent.clock.now(), left > 1 ? `1 of ${left}  ` : '')
  const dialogue = await Dialogue.open(at.input, screen, over)
  try {
    const outcome = await converse(assent, dialogue, screen, at, one, over)
    if (!gone.signal.aborted || outcome === 'answered') return outcome
    screen.print(`It was settled elsewhere: ${gone.signal.reason}.`)
    return 'answered'
  } finally {
    dialogue.close()
    leaving.abort()
    await settledElsewhere
  }
}

function converse(
  assent: Assent,
  dialogue: Dialogue,
  screen: Screen,
  at: AtTerminal,
  one: InboxItem,
  signal: AbortSignal,
): Promise<Outcome> {
  if (one.approval !== undefined) return answerApproval({ assent, dialogue, screen, one, approval: one.approval })
  if (one.asked.purpose === 'input' && one.asked.question.mode === 'form') {
    return fillForm(assent, dialogue, screen, one, signal)
  }
  return visitPage(assent, dialogue, screen, at, one)
}

/** A form is filled in here; leaving it leaves it open for later. */
async function fillForm(
  assent: Assent,
  dialogue: Dialogue,
  screen: Screen,
  { asked }: InboxItem,
  signal: AbortSignal,
): Promise<Outcome> {
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

/** Secrets and accounts are for a page; a plain yes may be said here. */
async function visitPage(
  assent: Assent,
  dialogue: Dialogue,
  screen: Screen,
  at: AtTerminal,
  { asked, link }: InboxItem,
): Promise<Outcome> {
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
      await openUrl(link).catch(() => screen.print('✗ No browser could be started here: open the address yourself.'))
    } else if (word === 'd' || word === 'decline') {
      await assent.answer(asked.id, atTerminal, { action: 'decline' })
      return 'answered'
    } else if (canConfirm && (word === 'y' || word === 'yes')) {
      await assent.answer(asked.id, atTerminal, { action: 'accept' })
      return 'answered'
    } else screen.print(word === '' ? '✗ Nothing is answered yet.' : `✗ ${visibleLine(word, 40)} is no choice.`)
  }
}
