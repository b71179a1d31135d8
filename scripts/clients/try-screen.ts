import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppScreen, Place } from './apps/app.ts'
import { type Gateway, holdSeconds } from './assent.ts'
import type { Finding } from './findings.ts'
import type { Lab } from './lab.ts'
import type { Script, ToolUse } from './model/conversation.ts'
import { NotSeen, openTerminal, type Terminal } from './terminal.ts'

/** What is tried at a client's screen. */
export const screenTrials = {
  approval: 'approval of a call that fits into three lines',
  long: 'approval of a longer call',
  page: '`answer: page`',
  form: "a server's form",
} as const

type ScreenTrial = keyof typeof screenTrials

export type ScreenFindings = Map<ScreenTrial, Finding>

/** A client's screen, and all that a trial on it needs. */
interface AtScreen {
  readonly lab: Lab
  readonly gateway: Gateway
  readonly terminal: Terminal
  readonly screen: AppScreen
}

/** Tries a client with somebody at its terminal. Each screen with a question is kept in the folder of the client. */
export async function tryScreen(screen: AppScreen, place: Place, lab: Lab, gateway: Gateway): Promise<ScreenFindings> {
  const findings: ScreenFindings = new Map()
  const terminal = await openTerminal(lab.processes, lab.folder, screen.program(place))
  const at = { lab, gateway, terminal, screen }
  try {
    if (screen.start !== undefined) {
      await terminal.see(screen.start.shows)
      await terminal.press(...screen.start.keys)
    }
    await terminal.see(screen.ready)
    // A client that lists tools after its start must not be asked for one too early.
    await sleep(5_000)
    for (const trial of Object.keys(screenTrials) as ScreenTrial[]) findings.set(trial, await tryOne(at, trial))
  } catch (error) {
    if (!(error instanceof NotSeen)) throw error
    await writeFile(join(lab.folder, 'screen-start.txt'), error.message)
    findings.set('approval', { ok: false, words: 'did not start' })
  } finally {
    await terminal.close()
  }
  return findings
}

async function tryOne(at: AtScreen, trial: ScreenTrial): Promise<Finding> {
  const { lab, terminal } = at
  const read: string[] = []
  const { prompt, offered } = lab.model.play(oneCall(calls(at.gateway)[trial], read))
  await terminal.type(prompt, 'Enter')
  // A client that is still busy with its start may take Enter for a part of the text.
  for (let tries = 0; tries < 8; tries += 1) {
    await sleep(3_000)
    if (offered.size > 0) break
    await terminal.press('Enter')
  }
  const shown = await questionOn(at, trial, read)
  await writeFile(join(lab.folder, `screen-${trial}.txt`), shown.text)
  if (shown.kind === 'nothing') return withoutQuestion(at, read, shown.text)
  const finding = await answerOn(at, shown.kind, read)
  return { ...finding, read: `${shown.text}\n${read.join('\n')}` }
}

async function* oneCall(call: ToolUse, read: string[]): Script {
  read.push(yield call)
  return 'That is all.'
}

function calls({ data }: Gateway): Record<ScreenTrial, ToolUse> {
  const content = 'The first line of the file.\nThe second line of the file.'
  return {
    approval: { tool: 'memory__search_nodes', arguments: { query: 'shopping' } },
    long: { tool: 'files__write_file', arguments: { path: join(data, 'screen.txt'), content } },
    page: { tool: 'files__create_directory', arguments: { path: join(data, 'screen') } },
    form: { tool: 'everything__trigger-elicitation-request', arguments: {} },
  }
}

type Shown = { readonly kind: 'choices' | 'link' | 'fields' | 'nothing'; readonly text: string }

/** Looks at the screen until it asks something, or the call is over. */
async function questionOn({ terminal }: AtScreen, trial: ScreenTrial, read: readonly string[]): Promise<Shown> {
  for (const end = Date.now() + (holdSeconds + 30) * 1_000; Date.now() < end; await sleep(500)) {
    const text = await terminal.screen()
    if (read.length > 0) {
      await sleep(2_000)
      return { kind: 'nothing', text: await terminal.screen() }
    }
    if (/Allow once|Decision: /.test(text)) return { kind: 'choices', text }
    if (/\/elicit\/[\w-]+\/approve/.test(lastQuestion(text))) return { kind: 'link', text }
    if (trial === 'form' && text.includes('[everything]')) return { kind: 'fields', text }
  }
  return { kind: 'nothing', text: await terminal.screen() }
}

/** The part of the screen after the last prompt: links of earlier questions may stand above it. */
function lastQuestion(text: string): string {
  return text.slice(Math.max(0, text.lastIndexOf('task number')))
}

async function answerOn(
  { gateway, terminal, screen }: AtScreen,
  kind: Shown['kind'],
  read: readonly string[],
): Promise<Finding> {
  // Faster than a person is no person.
  await sleep(1_500)
  if (kind === 'fields') {
    await terminal.press(...(screen.cancel ?? []))
    await over(read)
    return { ok: true, words: 'form in the client' }
  }
  if (kind === 'choices') {
    for (const key of screen.yes ?? []) {
      if (read.length > 0) break
      await terminal.press(key)
      await sleep(1_000)
    }
    const ran = (await over(read)) && !/elicit\/|said no|Nothing ran/.test(read.join('\n'))
    return { ok: ran, words: ran ? 'form in the client' : 'form, and its yes did not run the call' }
  }
  const [question] = await gateway.inbox()
  if (question !== undefined) await gateway.allow(question.id)
  await terminal.press(...(screen.visited ?? []))
  const ran = (await over(read)) && !/said no|Nothing ran/.test(read.join('\n'))
  return { ok: ran, words: ran ? 'link in the client' : 'link, and its yes did not run the call' }
}

/** The client asked nothing: the model was told the link, or the question is in the inbox and the call still waits for it. */
async function withoutQuestion(
  { gateway, terminal }: AtScreen,
  read: readonly string[],
  text: string,
): Promise<Finding> {
  const isTold = read.some((words) => words.includes('/elicit/'))
  const isWaiting = read.length === 0 && (await gateway.inbox()).some(({ server }) => server === 'everything')
  if (read.length === 0) await terminal.press('Escape')
  const words = isTold ? 'link by the model' : isWaiting ? 'waits in the inbox' : 'nothing'
  return { ok: isTold || isWaiting, words, read: `${text}\n${read.join('\n')}` }
}

/** Waits until the model has read a result, for as long as a call may be held. */
async function over(read: readonly string[]): Promise<boolean> {
  for (const end = Date.now() + (holdSeconds + 10) * 1_000; Date.now() < end; await sleep(300)) {
    if (read.length > 0) return true
  }
  return false
}
