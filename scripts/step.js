/** A step that failed, and was told. */
export class StepFailed extends Error {}

/**
 * Does one step and tells its name, its time, and what went wrong.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} deed
 * @returns {Promise<T>}
 */
export async function step(name, deed) {
  const start = performance.now()
  const told = (/** @type {string} */ verdict) =>
    console.log(
      `${verdict.padEnd(5)} ${name.padEnd(13)} ${((performance.now() - start) / 1000).toFixed(1).padStart(5)} s`,
    )
  try {
    const done = await deed()
    told('ok')
    return done
  } catch (error) {
    told('FAIL')
    console.log(`${error instanceof Error ? error.message : error}\n`)
    throw new StepFailed(name, { cause: error })
  }
}
