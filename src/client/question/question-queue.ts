import { unlessAborted } from '../unless-aborted.ts'

/** Asks the person one question at a time, so that none replaces the one on screen. */
export type EnqueueQuestion = <T>(signal: AbortSignal, ask: () => Promise<T>) => Promise<T>

export function createQuestionQueue(): EnqueueQuestion {
  let last: Promise<unknown> = Promise.resolve()
  return (signal, ask) => {
    const turn = last.then(() => {
      signal.throwIfAborted()
      // A UI that ignores the signal must not block the next question.
      return unlessAborted(signal, ask())
    })
    last = turn.catch(() => {})
    return unlessAborted(signal, turn)
  }
}
