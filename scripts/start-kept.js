import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** @type {typeof import('./start-kept.d.ts').startKept} */
export async function startKept(name, keeperScript, program) {
  // Detached, so that a Ctrl-C reaches it only as the end of its pipe, after the tests it serves.
  const keeper = spawn(process.execPath, [keeperScript, program], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(keeper, 'exit')
  keeper.stdin.on('error', () => {})
  const said = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]()

  const next = async () => {
    const { value } = await said.next()
    const { url, error } = JSON.parse(value ?? `{"error":"The private ${name} is gone."}`)
    if (error) throw new Error(error)
    return url
  }

  return {
    url: await next(),
    restart: async (downMs = 0) => {
      keeper.stdin.write(`restart ${downMs}\n`)
      await next()
    },
    stop: async () => {
      keeper.stdin.end()
      await gone
    },
  }
}
