import type { Assent } from '../../../src/assent.ts'
import { answerInbox } from '../../../src/cli/inbox/dialogue.ts'
import { fakeTerminal, plain } from '../client/fake-terminal.ts'

/** A person at the inbox of a terminal. */
export async function atInbox(assent: Assent, { watch = false } = {}) {
  const terminal = fakeTerminal({ columns: 100 })
  const stop = new AbortController()
  const opened: string[] = []
  const done = answerInbox(assent, {
    input: terminal.input,
    output: terminal.output,
    env: { NO_COLOR: '1' },
    watch,
    signal: stop.signal,
    openUrl: async (url) => void opened.push(url),
  })
  return { ...terminal, done, opened, stop: () => stop.abort(), text: () => plain(terminal.shown()) }
}

/** Waits for the prompt, and types. */
export async function say(
  terminal: { see(what: string): Promise<void>; type(text: string): void },
  prompt: string,
  text: string,
) {
  await terminal.see(prompt)
  terminal.type(`${text}\r`)
}
