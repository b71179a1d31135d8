/** Lets everything else that waits for the event loop run first. Long work calls it after each of its pages. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
