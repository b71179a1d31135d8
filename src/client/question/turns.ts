import { unlessAborted } from '../unless-aborted.ts'

/** Puts one question at a time before the person: none overwrites the one on screen. */
export type InTurn = <T>(signal: AbortSignal, ask: () => Promise<T>) => Promise<T>

export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (signal, ask) => {
    const turn = last.then(() => {
      signal.throwIfAborted()
      // A screen that does not heed the signal must not keep the next question back.
      return unlessAborted(signal, ask())
    })
    last = turn.catch(() => {})
    return unlessAborted(signal, turn)
  }
}
