import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'

/** Every way a secret may be written down, as text: plain, in hex, and in base64 at whatever place it begins. */
function spellings(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    ...[0, 1, 2].flatMap((shift) => {
      // The first and last letters also depend on what stands beside it.
      const inner = Buffer.from(`${'x'.repeat(shift)}${secret}`)
        .toString('base64')
        .slice(4, -4)
      return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
    }),
  ]
}

/** Fails for the first of these secrets that stands in these bytes. */
export function expectNone(secrets: Readonly<Record<string, string>>, place: string, bytes: string | Buffer): void {
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, `${name} is worth looking for`).toBeGreaterThan(9)
    for (const spelling of spellings(secret)) expect(bytes.includes(spelling), `${place} holds ${name}`).toBe(false)
  }
}

/** Everything in a folder, file by file: the database, and what is beside it. */
export async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder)
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)))
}

/** Everything that this process prints or warns of until the test is over. */
export function listenToProcess(): () => string {
  const said: string[] = []
  const hear = (...words: unknown[]) => void said.push(words.map(wordsOf).join(' '))
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation(hear)
    onTestFinished(() => spy.mockRestore())
  }
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      hear(chunk)
      return true
    })
    onTestFinished(() => spy.mockRestore())
  }
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))
  return () => said.join('\n')
}

/** An error with all it holds, also what does not show in JSON. */
export function wordsOf(value: unknown): string {
  if (value instanceof Error) {
    const { name, message, stack, cause, ...rest } = value
    return [name, message, stack, wordsOf(cause), JSON.stringify(rest)].join('\n')
  }
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
