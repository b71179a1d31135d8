import { expect, onTestFinished } from 'vitest'
import type { AskedClient, Connect } from '../asking/asking-clients.ts'
import { freePort } from '../free-port.ts'
import { pathIn, type TestBrowser } from '../test-browser.ts'
import { browserAt, startProgram } from './start-program.ts'

/** Starts a recipe. Its person has a browser that may answer. */
export async function startRecipe(
  program: string,
  args: readonly string[] = [],
): Promise<{ readonly url: URL; readonly person: TestBrowser }> {
  const port = await freePort()
  const [, link = ''] = await startProgram(program, args, { PORT: port }).prints(/in your browser: (\S+)/)
  // The link is printed before the server listens.
  await expect.poll(() => fetch(`http://127.0.0.1:${port}/inbox`).then(Boolean, () => false)).toBe(true)
  const person = browserAt(port)
  expect((await person.post(pathIn(link))).status).toBe(200)
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), person }
}

/** A client that is closed when the test is over. */
export async function closing(how: Connect, url: URL): Promise<AskedClient> {
  const client = await how({ url })
  onTestFinished(() => client.close())
  return client
}
