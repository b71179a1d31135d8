import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Assent, createAssent } from '../src/index.ts'
import { localRequester } from '../src/participant/requester.ts'
import { periodMs, periodOf, type Rollup } from '../src/rollup/rollup.ts'
import { anElicitation, limitedTo } from '../src/testing/index.ts'
import { formatKey, makeKey } from '../src/vault/keys.ts'
import { createWeb } from '../src/web/index.ts'
import { consoleRoutes } from '../src/web/routes/console/console.ts'
import { median, table } from './measure.ts'

const calls = 1_000_000
const questions = 100_000
const events = 50_000
const rounds = 7
/** What a page may take of the server. */
const mostMs = 100

/**
 * `npm run bench -- console [store]`: the server time of every page of the console, with a million calls in the rollups
 * (300 tools over 30 days), 100,000 open questions and 50,000 audit events. On SQLite, unless an address is given.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  const [store = `sqlite:${join(folder, 'assent.db')}`] = process.argv.slice(3)
  const assent = await createAssent({
    store,
    keys: formatKey(makeKey()),
    clocks: { tidy: 0 },
    policy: { rules: Array.from({ length: 30 }, (_, rule) => ({ tool: `tool-${rule}-*`, decide: 'ask' as const })) },
  })
  try {
    await fill(assent)
    await measure(assent)
  } finally {
    await assent.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(assent: Assent): Promise<void> {
  await fillRollups(assent)
  const now = assent.clock.now().getTime()
  for (let done = 0; done < questions; done += 1_000) {
    const adding = Array.from({ length: 1_000 }, (_, index) =>
      assent.store.elicitations.add(
        anElicitation({
          requester: { ...localRequester, client: `client-${(done + index) % 997}` },
          createdAt: new Date(now),
          expiresAt: new Date(now + 3_600_000 + done + index),
        }),
        limitedTo(questions),
      ),
    )
    await Promise.all(adding)
  }
  for (let done = 0; done < events; done += 500) {
    const data = { server: 'files', tool: `tool-${done}`, outcome: 'done' }
    await Promise.all(Array.from({ length: 500 }, () => assent.record({ kind: 'custom:called', data })))
  }
}

/** A million calls: 300 tools, in each hour of 30 days some of them. */
async function fillRollups(assent: Assent): Promise<void> {
  const now = assent.clock.now()
  const hours = 30 * 24
  const perHour = calls / hours
  for (let hour = 0; hour < hours; hour += 1) {
    const at = new Date(now.getTime() - hour * periodMs.hour)
    const batch: Rollup[] = []
    for (let index = 0; index < 100; index += 1) {
      const tool = (hour * 37 + index) % 300
      for (const period of ['hour', 'day'] as const) {
        const common = { period, from: periodOf(period, at), server: `server-${tool % 20}` }
        const share = { done: 0.9, failed: 0.06, refused: 0.04 }
        for (const [outcome, part] of Object.entries(share)) {
          const count = Math.round((perHour / 100) * part * 1_000) / 1_000
          const whole = Math.max(1, Math.round(count))
          batch.push({ ...common, kind: 'tools', name: `tool-${tool}`, outcome, count: whole })
          batch.push({ ...common, kind: 'calls', name: '', outcome, count: whole })
        }
      }
    }
    await assent.store.rollups.add(batch)
  }
}

async function measure(assent: Assent): Promise<void> {
  const web = createWeb(assent, {
    console: {
      servers: () => [],
      instance: '',
      skewMs: 10_000,
      isTrusted: () => false,
      readDraft: () => Promise.reject(new Error('Nothing is replayed here.')),
    },
  })
  const cookie = await enrol(assent, web)
  const paths = consoleRoutes().routes.flatMap(({ method, path }) =>
    method === 'GET' && !path.endsWith('/events') ? [path] : [],
  )
  const all = [...paths, '/console?range=week', '/console?range=month', '/console/audit?text=nothing-has-this']
  const rows: [string, number, number, number][] = []
  for (const path of all) {
    const times: number[] = []
    let bytes = 0
    for (let round = 0; round < rounds; round += 1) {
      const from = performance.now()
      const response = await web.fetch(
        new Request(new URL(path, assent.pages.publicUrl), { headers: { ...host(assent), cookie } }),
      )
      bytes = (await response.text()).length
      times.push(performance.now() - from)
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`)
    }
    const ms = median(times)
    rows.push([path, Number(ms.toFixed(1)), Number(Math.max(...times).toFixed(1)), bytes])
    if (ms > mostMs || bytes > 60_000) process.exitCode = 1
  }
  console.log(
    `Node ${process.version}. Milliseconds of server time, median and largest of ${rounds}; at most ${mostMs}.\n`,
  )
  table(['page', 'median ms', 'largest ms', 'bytes'], rows)
  web.close()
}

const host = ({ pages }: Assent) => ({ host: new URL(pages.publicUrl).host })

async function enrol(assent: Assent, web: ReturnType<typeof createWeb>): Promise<string> {
  const link = await web.enrollLink()
  const response = await web.fetch(
    new Request(link, { method: 'POST', headers: host(assent), body: new URLSearchParams() }),
  )
  const [cookie = ''] = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  return cookie
}
