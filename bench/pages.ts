import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gallery } from '../test/support/web/gallery.ts'
import { table } from './measure.ts'
import { costTable, measureRounds, type Row } from './measure-cpu.ts'
import type { PagesLoad } from './pages-load-process.ts'
import type { Place } from './pages-process.ts'
import { startLoad, startServer, stopAll, withBuilt } from './processes.ts'

const rounds = Number(process.argv[3] ?? 5)
const programs = [new URL('./pages-process.ts', import.meta.url), new URL('./pages-load-process.ts', import.meta.url)]
const keys = Number(process.argv[4] ?? 320)
const revisions = ['2025-11-25', '2026-07-28'] as const
type Work = Omit<PagesLoad, keyof Place>

/**
 * `npm run bench -- pages`: collecting a key end to end, compared with hand-written pages on the SDK; and the size of
 * pages.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  try {
    await withBuilt(programs, (built) => collect(built, folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  sizes()
}

async function collect(built: string, folder: string): Promise<void> {
  const program = join(built, 'pages-process.js')
  const stores = [[], ['memory:'], [`sqlite:${join(folder, 'assent.db')}`]]
  const servers = await Promise.all(stores.map((store) => startServer<Place>(program, store)))
  const load = await startLoad<PagesLoad>(join(built, 'pages-load-process.js'))
  const rows: Row<Work>[] = revisions.map((revision) => ({
    name: 'call, ask, page, post, page, retry, result',
    work: { revision, keys },
    costs: servers.map(() => []),
  }))
  console.log(
    `Node ${process.version}. CPU time per key of the server process in µs, median of ${rounds} interleaved rounds of ${keys}.\n`,
  )
  await measureRounds(rows, { rounds, servers, make: (work, place) => load.make({ ...work, ...place }) })
  costTable(rows, ['by hand', 'memory', 'sqlite'])
  await stopAll([load.child, ...servers.map(({ child }) => child)])
}

function sizes(): void {
  const all = Object.entries(gallery).map(([name, page]): [string, number, number] => {
    const loads =
      page.match(
        /<[a-z][^>]*\s(?:src|srcset|data|poster)=|@import|<link(?! rel="icon" href="data:,")|url\((?!["']?data:)/g,
      ) ?? []
    return [name, Buffer.byteLength(page), loads.length]
  })
  const largest = Math.max(...all.map(([, bytes]) => bytes))
  console.log(`${all.length} pages, the largest has ${largest} bytes (at most 30,000).\n`)
  table(['page', 'bytes', 'loads from elsewhere'], all)
}
