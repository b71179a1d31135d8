import { type Choice, choiceText, isYes } from '../../approval/question/choices.ts'
import type { Assent } from '../../assent.ts'
import { AssentError } from '../../base/errors.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { Dialogue, type Input } from '../../client/terminal/dialogue.ts'
import { type Output, Screen, type TerminalEnvironment } from '../../client/terminal/screen.ts'
import { answeredWords, answerWith } from './answer.ts'
import type { InboxItem } from './read.ts'
import { showWaiting } from './show.ts'

/** Several questions, and the person who answers them together. */
interface Together {
  readonly assent: Assent
  readonly dialogue: Dialogue
  readonly screen: Screen
  readonly items: readonly InboxItem[]
}

interface Terminal {
  readonly input: Input
  readonly output: Output
  readonly env: TerminalEnvironment
}

/** Shows each question in full, and asks for one answer to all. Leaving answers none of them. */
export async function answerTogether(together: Together): Promise<void> {
  const { dialogue, screen } = together
  showAll(together)
  for (;;) {
    screen.print('a allow these, once each · d deny these · q leave them open', { style: 'dim' })
    const said = await dialogue.ask('› ')
    const word = said.kind === 'text' ? said.text.toLowerCase() : said.kind === 'exit' ? 'q' : `:${said.name}`
    if (word === 'q' || word === 'quit') return
    if (word === 'a' || word === 'allow') return void (await answerEach(together, { kind: 'allow_once' }))
    if (word === 'd' || word === 'deny') return void (await answerEach(together, { kind: 'deny' }))
    screen.print(word === '' ? '✗ You have not answered yet.' : `✗ ${visibleLine(word, 40)} is not one of the choices.`)
  }
}

/** Shows each question in full, and gives all of them this answer if the person confirms it. True: each of them took it. */
export async function confirmTogether(
  assent: Assent,
  { input, output, env }: Terminal,
  items: readonly InboxItem[],
  { choice, reason }: { readonly choice: Choice; readonly reason?: string | undefined },
): Promise<boolean> {
  const screen = new Screen(output, env)
  const dialogue = await Dialogue.open(input, screen, new AbortController().signal)
  const together = { assent, dialogue, screen, items }
  try {
    showAll(together)
    const verb = isYes(choice) ? 'Allow' : 'Deny'
    const said = await dialogue.ask(
      `${verb} ${items.length === 1 ? 'this call' : `these ${items.length} calls`}? Type yes › `,
    )
    if (said.kind === 'text' && said.text.trim().toLowerCase() === 'yes')
      return await answerEach(together, choice, reason)
    screen.print('Nothing was answered.')
    return false
  } finally {
    dialogue.close()
  }
}

function showAll({ assent, screen, items }: Together): void {
  items.forEach((one, index) => {
    showWaiting(screen, one, assent.clock.now(), `${index + 1} of ${items.length}  `)
    const words = whyLeftOut(one)
    if (words !== undefined) screen.print(words, { indent: '  ' })
  })
  screen.print()
}

/** Each on its own record, as it was shown: one that changed since takes no yes. */
async function answerEach({ assent, screen, items }: Together, choice: Choice, reason?: string): Promise<boolean> {
  let areAllTaken = true
  for (const one of items) {
    const { isTaken, words } = await answerOne(assent, one, choice, reason)
    screen.print(`${isTaken ? '✓' : '✗'} ${one.asked.id.slice(0, 8)}: ${words}`)
    areAllTaken &&= isTaken
  }
  return areAllTaken
}

async function answerOne(assent: Assent, one: InboxItem, choice: Choice, reason: string | undefined) {
  const leftOut = notAnswered(one, choice)
  if (leftOut !== undefined || one.approval === undefined) return { isTaken: false, words: `Left out. ${leftOut}` }
  try {
    const answered = await answerWith(assent, one, choice, reason === undefined ? {} : { reason })
    if (answered.kind !== 'invalid') {
      return { isTaken: answered.kind !== 'late', words: answeredWords(answered, choice, one.approval) }
    }
    return { isTaken: false, words: `Left out. ${answered.errors.map(({ message }) => message).join(' ')}` }
  } catch (error) {
    // What was answered before stays answered, so the others are told of, whatever became of this one.
    if (!(error instanceof AssentError)) throw error
    return { isTaken: false, words: `Left out. ${error.message}` }
  }
}

function notAnswered(one: InboxItem, choice: Choice): string | undefined {
  const { approval, link } = one
  if (approval === undefined) return `It cannot be answered by yes or no. Its page: ${link}`
  if (!approval.choices.some((offered) => choiceText(offered) === choiceText(choice))) {
    return 'The policy does not offer that answer for it.'
  }
  return isYes(choice) ? whyLeftOut(one) : undefined
}

/** Why a yes to several leaves this one out; undefined: it does not. */
function whyLeftOut({ asked, approval }: InboxItem): string | undefined {
  if (asked.answerers.through === 'passkey') return 'A yes to it must be signed with a passkey, on its page.'
  const canBeEdited = (approval?.decision.editable.length ?? 0) > 0
  return canBeEdited ? 'Its arguments can be changed, so a yes to it is given on its own.' : undefined
}
