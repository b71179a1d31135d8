import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const lawful = {
  'src/index.ts': `export * from './assent.ts'`,
  'src/assent.ts': `import './call/walk.ts'\nimport './stores/open.ts'\nimport './vault/seal.ts'\nexport {}`,
  'src/cli/main.ts': `import 'commander'\nimport '../assent.ts'\nimport '../gateway/gateway.ts'\nimport '../web/app.ts'\nimport '../stores/open.ts'`,
  'src/gateway/gateway.ts': `import '../asking/attach.ts'\nimport '../call/walk.ts'`,
  'src/nest/module.ts': `import '../web/app.ts'\nimport '../assent.ts'`,
  'src/server/tool.ts': `import '../asking/attach.ts'\nimport '../mcp/codec.ts'`,
  'src/asking/attach.ts': `import '../mcp/codec.ts'`,
  'src/web/app.ts': `import '../elicitation/ask.ts'`,
  'src/mcp/codec.ts': `import '../call/walk.ts'`,
  'src/call/walk.ts': `import '../approval/grant.ts'`,
  'src/approval/grant.ts': `import '../elicitation/ask.ts'`,
  'src/connection/access.ts': `import '../elicitation/ask.ts'`,
  'src/elicitation/ask.ts': `import type { Answer } from './answer.ts'\nimport '../audit/event.ts'\nexport interface Ask { answer: Answer }`,
  'src/elicitation/answer.ts': `export interface Answer { text: string }`,
  'src/participant/participant.ts': `import '../base/errors.ts'`,
  'src/audit/event.ts': `import '../participant/participant.ts'`,
  'src/base/errors.ts': `import 'node:crypto'\nexport class Broken extends Error {}`,
  'src/stores/open.ts': `import('./postgres/open.ts')\nimport('./sqlite/open.ts')\nimport type { Ask } from '../elicitation/ask.ts'\nexport type Kept = Ask`,
  'src/stores/postgres/open.ts': `import pg from 'pg'\nimport type { Pool } from 'pg'\nexport const pool: Pool = new pg.Pool()`,
  'src/stores/sqlite/open.ts': `import 'node:sqlite'\nimport 'libsql'`,
  'src/vault/seal.ts': `import '../connection/access.ts'`,
  'src/observe/metrics.ts': `import type { Ask } from '../elicitation/ask.ts'\nimport '../base/errors.ts'\nexport type Seen = Ask`,
  'src/testing/contract.ts': `import 'vitest'\nimport '../assent.ts'\nimport '../web/app.ts'`,
}

/** One forbidden import, and the rule that must name it. */
const intruders: [rule: string, file: string, source: string][] = [
  ['door-of-base', 'src/base/ids.ts', `import '../participant/participant.ts'`],
  ['door-of-participant', 'src/participant/trail.ts', `import '../audit/trail.ts'`],
  ['door-of-audit', 'src/audit/asked.ts', `import type { Ask } from '../elicitation/ask.ts'\nexport type A = Ask`],
  ['door-of-elicitation', 'src/elicitation/grants.ts', `import '../approval/grant.ts'`],
  ['door-of-elicitation', 'src/elicitation/open.ts', `export const open = () => import('../stores/open.ts')`],
  ['door-of-approval', 'src/approval/account.ts', `import '../connection/access.ts'`],
  ['door-of-call', 'src/call/reply.ts', `import '../mcp/codec.ts'`],
  ['door-of-gateway', 'src/gateway/pages.ts', `import '../web/app.ts'`],
  ['door-of-gateway', 'src/gateway/start.ts', `import '../assent.ts'`],
  ['door-of-gateway', 'src/gateway/library.ts', `import '../server/tool.ts'`],
  ['door-of-asking', 'src/asking/library.ts', `import '../server/tool.ts'`],
  ['door-of-mcp', 'src/mcp/asks.ts', `import '../asking/attach.ts'`],
  ['door-of-web', 'src/web/asks.ts', `import '../asking/attach.ts'`],
  ['door-of-web', 'src/web/upstreams.ts', `import '../gateway/gateway.ts'`],
  ['door-of-stores', 'src/stores/sealed.ts', `import '../vault/seal.ts'`],
  ['door-of-vault', 'src/vault/walk.ts', `import '../gateway/gateway.ts'`],
  ['door-of-observe', 'src/observe/asks.ts', `import '../elicitation/ask.ts'`],
  ['type-door-of-observe', 'src/observe/web.ts', `import type { App } from '../web/app.ts'\nexport type A = App`],
  ['door-of-assent', 'src/assent.ts', `import './web/app.ts'`],
  ['door-of-cli', 'src/cli/fake.ts', `import '../testing/contract.ts'`],
  ['no-unknown-room', 'src/helpers/strings.ts', `import '../base/errors.ts'`],
  ['no-unknown-room-alone', 'src/utils/numbers.ts', `export const one = 1`],
  ['no-unknown-room-alone', 'src/setup.ts', `export const one = 1`],
  [
    'only-stores-postgres-speaks-pg',
    'src/stores/sqlite/rows.ts',
    `import type { Pool } from 'pg'\nexport type P = Pool`,
  ],
  ['only-stores-sqlite-speaks-libsql', 'src/stores/memory.ts', `import 'libsql'`],
  ['only-stores-sqlite-speaks-node-sqlite', 'src/stores/postgres/files.ts', `import 'node:sqlite'`],
  ['only-cli-speaks-commander', 'src/web/flags.ts', `import 'commander'`],
  ['base-imports-node-only', 'src/base/parse.ts', `import 'commander'`],
  ['no-dev-dependency', 'src/mcp/check.ts', `import 'vitest'`],
  ['no-unknown-package', 'src/mcp/more.ts', `import 'stowaway'`],
  ['no-broken-import', 'src/mcp/lost.ts', `import './nowhere.ts'`],
  ['nothing-from-outside-src', 'src/mcp/tested.ts', `import '../../test/support.ts'`],
  ['no-circle', 'src/mcp/left.ts', `import './right.ts'`],
  ['no-circle', 'src/mcp/east.ts', `import type { West } from './west.ts'\nexport type East = West`],
  ['no-circle-of-rooms', 'src/audit/trail.ts', `import type { T } from '../participant/trail.ts'\nexport type A = T`],
]

const surroundings = {
  'src/mcp/right.ts': `import './left.ts'`,
  'src/mcp/west.ts': `import type { East } from './east.ts'\nexport type West = East`,
  'test/support.ts': `export {}`,
  'package.json': JSON.stringify({
    type: 'module',
    dependencies: { commander: '*' },
    optionalDependencies: { libsql: '*' },
    peerDependencies: { pg: '*' },
    peerDependenciesMeta: { pg: { optional: true } },
    devDependencies: { pg: '*', vitest: '*' },
  }),
  ...Object.fromEntries(
    ['commander', 'libsql', 'pg', 'vitest', 'stowaway'].flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })],
      [`node_modules/${name}/index.js`, ''],
    ]),
  ),
}

let folder: string
let complaints: Complaint[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assent-doors-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('imports from the outside in pass every door', async () => {
  const { 'src/mcp/right.ts': _, 'src/mcp/west.ts': __, ...rest } = surroundings
  expect(await cruise('lawful', { ...rest, ...lawful })).toEqual([])
})

describe('a forbidden import is stopped', () => {
  beforeAll(async () => {
    const planted = Object.fromEntries(intruders.map(([, file, source]) => [file, source]))
    complaints = await cruise('planted', { ...surroundings, ...lawful, ...planted })
  })

  test.each(intruders)('by %s in %s', (rule, file) => {
    expect(complaints).toContainEqual(expect.objectContaining({ rule, file }))
  })
})

interface Complaint {
  readonly rule: string
  readonly file: string
}

/** What the gate says of a small house of its own. */
async function cruise(name: string, files: Record<string, string>): Promise<Complaint[]> {
  const house = join(folder, name)
  for (const [path, source] of Object.entries(files)) {
    await mkdir(dirname(join(house, path)), { recursive: true })
    await writeFile(join(house, path), source)
  }
  const depcruise = resolve('node_modules/.bin/depcruise')
  const args = ['src', '--config', resolve('.dependency-cruiser.js'), '--output-type', 'json']
  const json = await new Promise<string>((done) =>
    execFile(depcruise, args, { cwd: house, maxBuffer: 2 ** 26 }, (_, out) => done(out)),
  )
  const { summary } = JSON.parse(json)
  return summary.violations.map((violation: { rule: { name: string }; from: string }) => ({
    rule: violation.rule.name,
    file: violation.from,
  }))
}
