import { onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type AppOptions, startApp, type TestApp } from './start-app.ts'

/** A Nest application on a port of its own. It ends with the test. */
export async function nestApp(options: AppOptions = {}): Promise<TestApp> {
  const started = await startApp(await freePort(), options)
  onTestFinished(() => started.app.close())
  return started
}
