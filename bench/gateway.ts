import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '../scripts/private-postgres.js'
import { type Contender, startContenders } from './gateway-contenders.ts'
import type { GatewayLoad, Made, Reply, Target } from './gateway-load-process.ts'
import { median, table } from './measure.ts'
import { costTable, measureRounds, type Row } from './measure-cpu.ts'
import { startLoad, stopAll, withBuilt } from './processes.ts'

const parts = ['cold', 'warm', 'large', 'form', 'times'] as const
const revisions = ['2025-11-25', '2026-07-28'] as const
const connections = 16
/** After so many calls, what a call costs changes no more. */
const warm = 4_000
/** In one round. */
const calls = { echo: 1_000, large: 200, form: 200 }
/** The same for forms. */
const warmForms = 600
const rates = [500, 1_500]
const programs = ['upstream', 'stdio-upstream', 'proxy', 'load'].map(
  (name) => new URL(`./gateway-${name}-process.ts`, import.meta.url),
)

type Part = (typeof parts)[number]
type Work = Omit<GatewayLoad, 'target'>

interface Chosen {
  readonly parts: ReadonlySet<string>
  readonly revisions: readonly Work['revision'][]
  /** Names of contenders besides the bare proxy. Undefined: all. */
  readonly names: ReadonlySet<string> | undefined
  readonly rounds: number
}

const usage = `npm run bench -- gateway [options]
  --part <${parts.join('|')}>    only this part; may be repeated
  --revision <${revisions.join('|')}>
  --only <name>                             only this one beside the bare proxy, such as /mcp; may be repeated
  --rounds <number>                         how many interleaved rounds; 5 if left out`

function readChoice(): Chosen {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      part: { type: 'string', multiple: true, default: [...parts] },
      revision: { type: 'string', multiple: true, default: [...revisions] },
      only: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  })
  const { part, revision, only, rounds, help } = values
  const isUnknown = part.some((one) => !parts.includes(one as Part)) || !(Number(rounds) > 0)
  if (help || isUnknown || revision.some((one) => !revisions.includes(one as Work['revision']))) {
    console.error(usage)
    process.exit(2)
  }
  return {
    parts: new Set(part),
    revisions: revision as Work['revision'][],
    names: only && new Set(only),
    rounds: Number(rounds),
  }
}

/**
 * `npm run bench -- gateway`: `assent gateway`, in its own process with its defaults, compared with a plain proxy and with
 * other gateways: CPU time of a call when cold and when warm, and the time that calls take at a given rate.
 */
export async function bench(): Promise<void> {
  const chosen = readChoice()
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: fileURLToPath(new URL('..', import.meta.url)) })
  const wantsPostgres = chosen.names?.has('/mcp, PostgreSQL') ?? true
  const binaries = wantsPostgres ? findPostgres() : undefined
  const postgres = binaries === undefined ? undefined : await startPostgres(binaries)
  try {
    await withBuilt(programs, (folder) => measureAll(folder, chosen, postgres?.url))
  } finally {
    await postgres?.stop()
  }
}

async function measureAll(folder: string, chosen: Chosen, postgres: string | undefined): Promise<void> {
  console.log(
    `Node ${process.version}, ${chosen.rounds} interleaved rounds, medians. CPU time per call of the process in between,`,
  )
  console.log('in µs (of the server itself if it is called directly). Only Assent decides and audits.\n')
  for (const revision of chosen.revisions) {
    const load = await startLoad<GatewayLoad, Reply>(join(folder, 'gateway-load-process.js'))
    const all = await startContenders(folder, revision, postgres, chosen.names)
    await measureRevision(loadOn(load.make, all), revision, all, chosen)
    await stopAll([load.child])
    await stopAll(all.flatMap(({ children }) => [...children]))
  }
}

type Make = (load: GatewayLoad) => Promise<Made>

const none: Made = { count: Number.NaN, p50: Number.NaN, p99: Number.NaN }

/** Whoever fails once is not called again, so that the others are measured to the end. */
function loadOn(make: (load: GatewayLoad) => Promise<Reply>, all: readonly Contender[]): Make {
  const failed = new Set<Target>()
  return async (load) => {
    if (failed.has(load.target)) return none
    const reply = await make(load)
    if (!('failed' in reply)) return reply
    failed.add(load.target)
    const name = all.find(({ details }) => details.port === load.target.port)?.name
    console.log(`${name} is left out from here on: ${reply.failed}\n`)
    return none
  }
}

async function measureRevision(
  load: Make,
  revision: Work['revision'],
  all: readonly Contender[],
  { parts, rounds }: Chosen,
): Promise<void> {
  const make = async (work: Work, target: Target) => (await load({ ...work, target })).count
  const row = (name: string, tool: Work['tool'], count: number = calls[tool], of = all): Row<Work> => ({
    name,
    work: { revision, tool, calls: count, connections },
    costs: of.map(() => [] as number[]),
  })
  const names = (of: readonly Contender[]) => of.map(({ name }) => name)
  const once = (rows: readonly Row<Work>[], servers: readonly Contender[]) =>
    measureRounds(rows, { servers, make, rounds: 1, isCold: true })

  const cold = row('an allowed call, the first 800', 'echo', 800)
  await once([cold], all)
  if (parts.has('cold')) costTable([cold], names(all))
  if (parts.has('warm') || parts.has('large')) await once([row('', 'echo', warm)], all)
  const measured = [
    ...(parts.has('warm') ? [row('an allowed call', 'echo')] : []),
    ...(parts.has('large') ? [row('the same, with a result of 64 KB', 'large')] : []),
  ]
  await measureRounds(measured, { servers: all, make, rounds })
  costTable(measured, names(all))

  if (parts.has('form')) {
    const asking = all.filter(({ passesForms }) => passesForms)
    const form = row('a form: asked, answered, result', 'form', calls.form, asking)
    await once([row('', 'form', warmForms, asking)], asking)
    await measureRounds([form], { servers: asking, make, rounds })
    costTable([form], names(asking))
    await showFormTimes(load, asking, revision, rounds)
  }
  const light = all.filter(({ startsProcesses }) => !startsProcesses)
  if (parts.has('times')) await showTimes(load, light, revision, rounds)
  console.log(`Load average ${loadavg()[0]?.toFixed(1)}.\n`)
}

const ms = (all: readonly Made[], kind: 'p50' | 'p99') => (median(all.map((one) => one[kind])) / 1_000).toFixed(1)

/** One form at a time: what passing it on adds to the time that the person takes, who answers at once. */
async function showFormTimes(
  load: Make,
  contenders: readonly Contender[],
  revision: Work['revision'],
  rounds: number,
): Promise<void> {
  const taken = contenders.map(() => [] as Made[])
  for (let round = 0; round < rounds; round++) {
    for (const [index, { details: target }] of contenders.entries()) {
      taken[index]?.push(await load({ revision, tool: 'form', calls: 60, connections: 1, target }))
    }
  }
  console.log(`Time of a form in ms, ${revision}, one at a time, answered at once, p50 / p99:`)
  table(
    ['', ''],
    contenders.map(({ name }, index) => [name, `${ms(taken[index] ?? [], 'p50')} / ${ms(taken[index] ?? [], 'p99')}`]),
  )
}

async function showTimes(
  load: Make,
  contenders: readonly Contender[],
  revision: Work['revision'],
  rounds: number,
): Promise<void> {
  const taken = contenders.map(() => rates.map(() => [] as Made[]))
  for (let round = 0; round < rounds; round++) {
    for (const [of, perSecond] of rates.entries()) {
      for (const [index, { details: target }] of contenders.entries()) {
        const work = { revision, tool: 'echo', calls: perSecond, connections: 64, perSecond } as const
        taken[index]?.[of]?.push(await load({ ...work, target }))
      }
    }
  }
  console.log(`Time of a call in ms at so many calls a second, ${revision}, 64 connections, p50 / p99:`)
  table(
    ['', ...rates.map(String)],
    contenders.map(({ name }, index) => [
      name,
      ...(taken[index] ?? []).map((all) => `${ms(all, 'p50')} / ${ms(all, 'p99')}`),
    ]),
  )
}
