/** A tool that the model wants called. `tool` is the end of its name: clients put prefixes of their own in front. */
export interface ToolUse {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What the model does: it yields tool calls, is given what it reads as their results, and returns its last words. */
export type Script = AsyncGenerator<ToolUse, string, string>

/** A tool as a client offers it to the model. */
export interface OfferedTool {
  readonly name: string
  readonly namespace?: string
  /** `tool_search` of the Responses API is a type, not a function. */
  readonly type?: string
}

/** One request to the model, whatever API it came by: all that was said so far, and the tools it may call. */
export interface Turn {
  readonly said: readonly Said[]
  readonly tools: readonly OfferedTool[]
}

export type Said =
  | { readonly by: 'user'; readonly text: string }
  | { readonly by: 'tool'; readonly name: string; readonly text: string }

/** What the model says in a turn. */
export type Move =
  | { readonly kind: 'call'; readonly tool: OfferedTool; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly kind: 'say'; readonly text: string }

/** A script that a client works on: the prompt that starts it, and what was seen of it. */
export interface Conversation {
  readonly prompt: string
  /** The names of all tools that the client has offered so far. */
  readonly offered: ReadonlySet<string>
  /** Settled when the model has said its last words, or the script has failed. */
  readonly ended: Promise<void>
}

interface Playing extends Conversation {
  readonly script: Script
  readonly offered: Set<string>
  /** The steps so far. A client that repeats a request gets the same step again. */
  readonly steps: Promise<IteratorResult<ToolUse, string>>[]
  readonly end: () => void
  readonly fail: (error: unknown) => void
}

/** How often the model looks for one tool by the client's own search before it gives up. */
const searches = 3

/** The conversations of a model with all its clients. A conversation is known by the number in its prompt. */
export class Conversations {
  readonly #playing = new Map<string, Playing>()

  play(script: Script): Conversation {
    const number = String(this.#playing.size + 1)
    let [end, fail]: [() => void, (error: unknown) => void] = [() => {}, () => {}]
    const ended = new Promise<void>((resolve, reject) => {
      ;[end, fail] = [resolve, reject]
    })
    ended.catch(() => {})
    const prompt = `Please work on task number ${number} now.`
    const playing: Playing = { prompt, script, ended, end, fail, offered: new Set(), steps: [] }
    this.#playing.set(number, playing)
    return playing
  }

  /** What the model says next. Requests that belong to no script, such as those for a title, get a greeting. */
  async next(turn: Turn): Promise<Move> {
    const at = turn.said.findLastIndex((one) => one.by === 'user' && numberIn(one.text) !== undefined)
    const prompt = turn.said[at]
    const playing = prompt && this.#playing.get(numberIn(prompt.text) ?? '')
    if (playing === undefined || turn.tools.length === 0) return { kind: 'say', text: 'Hello.' }

    for (const { namespace = '', name } of turn.tools) playing.offered.add(namespace + name)
    const replies = turn.said.slice(at + 1).filter((one) => one.by === 'tool')
    const results = replies.filter(({ name }) => !isSearch(name))
    const step = await this.#step(playing, results)
    if (step.done) return { kind: 'say', text: step.value }
    const searched = replies.length - 1 - replies.findLastIndex(({ name }) => !isSearch(name))
    return useTool(step.value, turn.tools, searched)
  }

  #step(playing: Playing, results: readonly { readonly text: string }[]): Promise<IteratorResult<ToolUse, string>> {
    const known = playing.steps[results.length]
    if (known !== undefined) return known
    const step = playing.script.next(results.at(-1)?.text ?? '')
    playing.steps[results.length] = step
    step.then(({ done }) => done && playing.end(), playing.fail)
    return step
  }
}

function numberIn(text: string): string | undefined {
  return /task number (\d+)/.exec(text)?.[1]
}

function useTool(use: ToolUse, tools: readonly OfferedTool[], searched: number): Move {
  const tool = tools.find(({ namespace = '', name }) => plain(namespace + name).endsWith(plain(use.tool)))
  if (tool !== undefined) return { kind: 'call', tool, arguments: use.arguments }
  const search = tools.find(({ name, type = '' }) => isSearch(name) || isSearch(type))
  if (search !== undefined && searched < searches) {
    return { kind: 'call', tool: search, arguments: { query: use.tool, max_results: 5, limit: 5 } }
  }
  return { kind: 'say', text: `There is no tool ${use.tool} among ${tools.length}.` }
}

/** Clients replace characters that their model's API does not take. */
function plain(name: string): string {
  return name.replace(/[^a-z0-9]/gi, '_').toLowerCase()
}

function isSearch(name: string): boolean {
  return /tool_?search|search_?tool/i.test(name)
}
