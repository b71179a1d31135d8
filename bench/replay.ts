import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPolicy } from '../src/approval/policy/read-policy.ts'
import { compare } from '../src/approval/replay/compare.ts'
import { type Assent, createAssent } from '../src/index.ts'
import { alice } from '../src/testing/index.ts'
import { formatKey, makeKey } from '../src/vault/keys.ts'
import { median } from './measure.ts'

const calls = Number(process.argv[3] ?? 100_000)
const rounds = 3
/** What 100,000 calls may take. */
const mostMs = 10_000

/** `npm run bench -- replay [calls]`: what `assent policy replay` takes on a SQLite store with so many calls. */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  const assent = await createAssent({
    store: `sqlite:${join(folder, 'assent.db')}`,
    keys: formatKey(makeKey()),
    clocks: { tidy: 0 },
  })
  try {
    await fill(assent)
    const draft = await readPolicy({
      extends: ['files', 'git', 'database', 'mail', 'payments', 'shell'],
      rules: [{ server: 'files', when: "args.path.startsWith('/etc')", decide: 'deny' }],
    })
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const from = performance.now()
      const compared = await compare(assent.store.audit, draft, () => false, new Date(0))
      times.push(performance.now() - from)
      const unknown = Object.values(compared.counts).reduce((sum, { unknown: one }) => sum + one, 0)
      if (compared.calls !== calls || unknown === 0) throw new Error('Not every call was replayed.')
    }
    const ms = median(times)
    console.log(`Node ${process.version}. ${calls.toLocaleString('en')} calls: ${(ms / 1_000).toFixed(2)} s.`)
    if (ms > (mostMs * calls) / 100_000) process.exitCode = 1
  } finally {
    await assent.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Every second call has its arguments kept, and every call has an end. */
async function fill({ record }: Assent): Promise<void> {
  const tools = ['read_file', 'write_file', 'git_push', 'query', 'send_email', 'Bash']
  const atOnce = 500
  for (let first = 0; first < calls; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, calls - first) }, (_, index) => first + index)
    await Promise.all(
      some.flatMap((n) => {
        const about = `walk-${n}`
        const data = { server: 'files', tool: tools[n % tools.length] as string, client: 'bench', decided: 'ask' }
        const keep = { arguments: { path: `/data/${n}`, command: `npm run step-${n}`, sql: 'select 1' } }
        return [
          record({ kind: 'call-started', who: alice, about, data, ...(n % 2 === 0 && { keep }) }),
          record({ kind: 'call-finished', who: alice, about, data: { outcome: 'done' } }),
        ]
      }),
    )
  }
}
