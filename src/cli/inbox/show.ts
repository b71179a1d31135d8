import { commandsIn } from '../../approval/command/command-parts.ts'
import type { ShownPreview } from '../../approval/policy/policy.ts'
import { approvalWords } from '../../approval/question/choice-form.ts'
import type { Change } from '../../approval/question/edit.ts'
import { previewNote } from '../../approval/question/preview.ts'
import { votingWords } from '../../approval/question/voting-words.ts'
import type { Json } from '../../base/json.ts'
import { behindText, cannotTellApart, clientText, isShownAsItIs, nameText } from '../../base/text/names.ts'
import { showArguments, showJson, showName, shownText, showText } from '../../base/text/show-text.ts'
import { visibleLine, visibleText } from '../../base/text/visible-text.ts'
import { type Screen, wrap } from '../../client/terminal/screen.ts'
import { askerLeftAt, askerLeftWords } from '../../elicitation/elicitation.ts'
import { localParticipant } from '../../participant/participant.ts'
import { agentsBehind, namedClient } from '../../participant/requester.ts'
import { duration } from '../../web/pages/layout/times.ts'
import type { InboxItem } from './read.ts'

/** Shows a question with everything that it is about. Of a call, every character of its tool and arguments is shown. */
export function showWaiting(screen: Screen, one: InboxItem, now: Date, place = ''): void {
  const { asked, link, approval } = one
  screen.print()
  screen.print(`${place}${titleOf(one)}`, { style: 'bold' })
  if (approval !== undefined && !isShownAsItIs(approval.call.tool)) {
    screen.print('tool', { indent: '  ' })
    screen.quote(shownText(showName(approval.call.tool)), '    ')
  }
  const facts: [string, string][] = [
    ['asked by', askerOf(one)],
    ...(approval === undefined ? [] : ([['because', approval.decision.why.words]] as [string, string][])),
    ...(asked.priority === undefined ? [] : ([['priority', asked.priority]] as [string, string][])),
    ['time left', duration('en', asked.expiresAt.getTime() - now.getTime())],
    ['id', asked.id],
  ]
  for (const [name, value] of facts) showFact(screen, name, value)
  if (askerLeftAt(asked) !== undefined) screen.print(askerLeftWords, { indent: '  ' })
  // Not wrapped, so that the link can be copied.
  screen.raw(`  ${'page'.padEnd(nameWidth)}${link}\n`)
  if (approval === undefined) {
    screen.quote(visibleText(asked.question.message), '  ')
    return
  }
  if (asked.answerers.through === 'passkey') screen.print(signedOnPage, { indent: '  ' })
  const shown = showArguments(approval.call.arguments)
  screen.print(shown.length === 0 ? 'It has no arguments.' : 'with', { indent: '  ' })
  for (const { name, value } of shown) showArgument(screen, shownText(name), shownText(value))
  const commands = commandsIn(approval.call) ?? []
  if (commands.length > 0) screen.print(`the command has ${commands.length} parts:`, { indent: '  ' })
  for (const one of commands) screen.quote(shownText(showText(one)), '    ')
  showPreview(screen, approval.call.server, approval.decision.preview, previewNote(asked, approval.decision))
  for (const line of votingWords(asked, nameText)) screen.print(line, { indent: '  ' })
  const note = cannotTellApart(namedClient(approval.call.requester).known)
  if (note !== undefined) screen.print(note, { indent: '  ' })
}

/** What another tool of the server shows, quoted in full. */
function showPreview(screen: Screen, server: string, preview: ShownPreview | undefined, note?: string): void {
  if (preview === undefined) return
  const { tool, text, leftOut = 0, problem = '' } = preview
  if (text === undefined) {
    screen.print(`There is no preview. ${visibleLine(problem, 700)}`, { indent: '  ' })
    return
  }
  screen.print(`preview by ${nameText(tool)}, as ${nameText(server)} wrote it`, { indent: '  ' })
  if (note !== undefined) screen.print(note, { indent: '  ' })
  screen.quote(visibleText(text, { characters: text.length, lines: 400 }), '    ')
  if (leftOut > 0) screen.print(`${leftOut} more characters are not shown.`, { indent: '  ' })
}

/** Said where a yes at the terminal would be refused. */
export const signedOnPage = 'A yes must be signed with a passkey, on the page. Here you can only deny it.'

/** The heading of the questions of one client, where several clients ask. */
export function showClient(screen: Screen, [first, ...more]: readonly InboxItem[]): void {
  if (first === undefined) return
  const count = more.length === 0 ? 'one question' : `${more.length + 1} questions, the newest first`
  screen.print()
  screen.print(`Asked by ${askerOf(first)}: ${count}`, { style: 'bold' })
}

/** Shows the arguments that the approver changed. */
export function showChanges(screen: Screen, changes: readonly Change[]): void {
  screen.print(changes.length === 0 ? 'Nothing is changed.' : 'Changed:', { indent: '  ' })
  for (const { name, before, after } of changes) {
    const from = before === undefined ? '(not given)' : shownValue(before)
    screen.quote(`${shownText(showName(name))}: ${from} → ${shownValue(after)}`, '    ')
  }
}

/** The question in one line. */
function titleOf({ asked, approval }: InboxItem): string {
  if (approval !== undefined) return approvalWords(approval.call)
  return `${nameText(asked.origin.server)} ${asking[asked.purpose]}`
}

/** The client that asks, and the participant it acts for. */
function askerOf({ asked: { requester } }: InboxItem): string {
  const { participant } = requester
  const name = clientText(namedClient(requester), 'asker')
  const behind = behindText(agentsBehind(requester))
  return participant === localParticipant ? `${name}${behind}` : `${name} of ${nameText(participant)}${behind}`
}

const nameWidth = 11

const asking = {
  input: 'asks',
  approval: 'asks for a yes',
  secret: 'asks for a secret',
  confirm: 'asks you to confirm',
  connect: 'asks you to connect an account',
} as const

/** A name and its value. Further lines of the value are indented like the first. */
function showFact(screen: Screen, name: string, value: string): void {
  wrap(value, screen.width - nameWidth - 2).forEach((line, index) => {
    screen.raw(`  ${(index === 0 ? name : '').padEnd(nameWidth)}${line}\n`)
  })
}

/** A value of more than one line is marked as a quotation, so that it cannot pass for words of Assent. */
function showArgument(screen: Screen, name: string, value: string): void {
  const label = name === '' ? '(no name)' : name
  const line = `    ${label}: ${value}`
  // A name that begins like a quotation must stand in one.
  const isOurs = !/^[│┊]/u.test(label)
  if (isOurs && wrap(line, screen.width).length === 1) screen.raw(`${line}\n`)
  else {
    if (isOurs && wrap(label, screen.width - 5).length === 1) screen.raw(`    ${label}:\n`)
    else screen.quote(`${label}:`, '    ')
    screen.quote(value, '      ')
  }
}

function shownValue(value: Json): string {
  return shownText(typeof value === 'string' ? showText(value) : showJson(value))
}
