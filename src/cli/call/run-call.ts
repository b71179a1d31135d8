import { setTimeout as sleep } from 'node:timers/promises'
import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client'
import { milliseconds } from '../../base/durations.ts'
import { AssentError, BadArgument } from '../../base/errors.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { inBackground } from '../../base/under-way.ts'
import { InputNeeded } from '../../client/terminal/given-answers.ts'
import { cut, Screen } from '../../client/terminal/screen.ts'
import { StatusLine } from '../../client/terminal/status-line.ts'
import { terminalUi } from '../../client/terminal/terminal-ui.ts'
import type { ElicitationUi } from '../../client/ui.ts'
import { withElicitation } from '../../client/with-elicitation.ts'
import { nearest } from '../config/near-names.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { answersFrom } from './answers.ts'
import { connectTo } from './connect.ts'
import { findTarget } from './server-target.ts'
import { outcomeOf, resultLines } from './show-result.ts'
import { toolLines } from './show-tools.ts'
import { argumentsFor } from './tool-arguments.ts'

type Pairs = readonly (readonly [string, string])[]

export interface CallOptions {
  readonly config?: string
  readonly command?: string
  readonly header: Pairs
  readonly arg: Pairs
  readonly answer: Pairs
  readonly answers?: string
  readonly yes?: true
  readonly yesOpen?: true
  readonly timeout: string
  readonly verbose?: true
  readonly json?: true
}

const interrupted = 130

/** Runs `assent call`, from its arguments to the exit code. */
export async function runCall(
  [server, tool, json, ...more]: readonly (string | undefined)[],
  options: CallOptions,
): Promise<void> {
  if (more.length > 0)
    throw new BadArgument(`With --command the first argument is the tool. Leave out: ${more.join(' ')}`)
  const timeoutMs = milliseconds(options.timeout)
  const answers = await answersFrom(options)
  const target = await findTarget(server, options)
  const stop = new AbortController()
  const status = new StatusLine(
    new Screen(process.stderr, process.env),
    `Reaching ${cut(visibleLine(target.name), 60)}`,
  )
  const ui = watchedUi(
    terminalUi({ answers, yes: options.yes === true, yesOpen: options.yesOpen === true }),
    status,
    stop,
  )
  // Once only: a second Ctrl-C ends the process at once.
  process.once('SIGINT', () => stop.abort('interrupted'))
  if (process.stderr.isTTY) status.show()

  const connected = await connectTo(target, options.verbose === true, stop.signal, (client) =>
    withElicitation(client, ui, { server: target.name }),
  ).finally(() => status.hide())
  if (connected === undefined) {
    process.exitCode = stop.signal.aborted ? interrupted : exitCodes.unavailable
    return
  }
  try {
    const tools = await listTools(connected.client)
    if (tool === undefined) return showTools(target.name, tools, options)
    const args = argumentsFor(toolNamed(target.name, tools, tool), json, options.arg)
    status.text = `${cut(visibleLine(target.name), 40)} runs ${cut(visibleLine(tool), 40)}`
    if (process.stderr.isTTY) status.show()
    const result = await connected.eliciting.callTool(
      { name: tool, arguments: args },
      {
        timeoutMs,
        signal: stop.signal,
        onProgress: (text) => {
          status.text = visibleLine(text)
        },
      },
    )
    status.end()
    showResult(result, options)
  } catch (error) {
    status.end()
    // Ctrl-C in a terminal reaches the server too, which may end before the signal arrives here.
    if (!stop.signal.aborted) await sleep(100)
    explain(
      target.name,
      stop.signal.reason ?? error,
      tool === undefined ? 'refused to list its tools' : 'refused the call',
    )
  } finally {
    await connected.close()
  }
}

/** Hides the status line while the person is asked. A question that cannot be answered ends the call. */
function watchedUi(ui: ElicitationUi, status: StatusLine, stop: AbortController): ElicitationUi {
  let asking = 0
  const watched = async <T>(ask: () => Promise<T>): Promise<T> => {
    asking++
    status.hide()
    try {
      return await ask()
    } catch (error) {
      stop.abort(error)
      throw error
    } finally {
      asking--
      if (asking === 0 && process.stderr.isTTY && !stop.signal.aborted) status.show()
    }
  }
  return {
    form: (request) => watched(() => ui.form(request)),
    consentToOpen: (request) => watched(() => ui.consentToOpen(request)),
    open: (url) => watched(() => ui.open(url)),
    pageRefused: (page) => inBackground(watched(async () => ui.pageRefused(page))),
    waiting: (request) => watched(() => ui.waiting(request)),
  }
}

async function listTools(client: Client): Promise<Tool[]> {
  return (await client.listTools()).tools
}

function toolNamed(server: string, tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return found
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
  )
  const hint = near.length === 0 ? 'Leave the tool out to list the tools.' : `Did you mean ${near.join(' or ')}?`
  throw new BadArgument(`${visibleLine(server)} has no tool ${visibleLine(name)}. ${visibleLine(hint)}`)
}

function showTools(server: string, tools: readonly Tool[], { json }: CallOptions): void {
  if (json) {
    print(JSON.stringify(tools))
    return
  }
  if (tools.length === 0) complain(`${visibleLine(server)} has no tools.`)
  for (const line of tools.flatMap(toolLines)) print(line)
}

function showResult(result: CallToolResult, { json }: CallOptions): void {
  const isError = result.isError === true
  if (isError) process.exitCode = exitCodes.no
  if (json) {
    print(JSON.stringify(result))
    return
  }
  for (const line of resultLines(result)) (isError ? complain : print)(line)
  const outcome = outcomeOf(result)
  if (outcome !== undefined) complain(outcome)
}

/** Prints errors of the server and of the transport. Assent's own errors are thrown on, to `runningCommand`. */
function explain(server: string, error: unknown, refused: string): void {
  if (error === 'interrupted') {
    complain('Stopped.')
    process.exitCode = interrupted
    return
  }
  if (error instanceof InputNeeded) {
    complain(error.message)
    complain(remedyFor(error))
    process.exitCode = exitCodes.misuse
    return
  }
  if (error instanceof AssentError) throw error
  const { message, code } = error as { message?: unknown; code?: unknown }
  const isRefusal = typeof code === 'number'
  complain(`${visibleLine(server)} ${isRefusal ? refused : 'gave no result'}: ${visibleLine(String(message), 2_000)}`)
  process.exitCode = isRefusal ? exitCodes.no : exitCodes.unavailable
}

function remedyFor({ needs, fields }: InputNeeded): string {
  switch (needs) {
    case 'answers':
      return `Run this in a terminal, or answer in advance with --answer ${visibleLine(fields[0] ?? 'name')}=…, or --answers <file>.`
    case 'yes':
      return 'Run this in a terminal, or accept in advance with --yes.'
    case 'consent':
      return 'Run this in a terminal, or accept in advance with --yes-open.'
    case 'person':
      return 'Run this in a terminal.'
  }
}
