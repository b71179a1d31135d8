import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Effect } from '../../src/approval/policy/policy.ts'
import { propose } from '../../src/cli/report/propose.ts'
import { tallyCalls } from '../../src/cli/report/tally.ts'
import { createAssent, type ParticipantId } from '../../src/index.ts'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const who = 'local' as ParticipantId

interface Recorded {
  readonly tool: string
  readonly decided?: Effect
  readonly times?: number
  readonly watched?: boolean
  readonly refused?: string
  readonly rule?: number
  readonly keep?: Readonly<Record<string, string>>
}

/** An installation whose audit has these calls. */
async function anInstallation(calls: readonly Recorded[]) {
  const folder = await temporaryFolder()
  await mkdir(join(folder, '.assent'))
  await writeFile(join(folder, 'assent.yaml'), 'version: 1\npolicy: { mode: watch }\n')
  const opened = await createAssent({ store: `sqlite:${folder}/.assent/assent.db`, keys: '' })
  for (const [index, { tool, decided = 'ask', times = 1, watched = false, refused, rule, keep }] of calls.entries()) {
    for (let time = 0; time < times; time += 1) {
      await opened.record({
        kind: refused === undefined ? 'call-started' : 'call-refused',
        who,
        about: `walk-${index}-${time}`,
        data: {
          server: 'files',
          tool,
          client: 'editor',
          decided,
          ...(rule && { rule }),
          ...(watched && { watched }),
          ...(refused && { reason: refused }),
        },
        ...(keep && { keep: { arguments: keep } }),
      })
    }
  }
  await opened.close()
  const draft = join(folder, 'draft.yaml')
  return { folder, draft, run: (...args: string[]) => assent(args, {}, folder) }
}

test('a week of watching becomes a draft, and the draft is replayed on the same calls', async () => {
  const { draft, run } = await anInstallation([
    { tool: 'read_file', times: 3, watched: true },
    { tool: 'write_file', times: 2, watched: true },
    { tool: 'delete_file', watched: true },
    { tool: 'drop_all', decided: 'deny', watched: true, rule: 4 },
  ])
  const { out } = await run('report')
  expect(out).toContain('7 calls by 1 client since ')
  expect(out).toMatch(/^files +read_file +3 +0 +3 +0 +3 +0 +0$/m)
  expect(out).toContain('Calls that ran: it would have asked about 6, and denied 1.')

  const yaml = (await run('report', '--yaml')).out
  expect(yaml).toBe(`policy:
  rules:
    - { server: files, tool: delete_file, decide: ask, answer: page }  # 1 call, named as if it deletes
    - { server: files, tool: read_file, decide: allow }  # 3 calls, named as if it only reads
    - { server: files, tool: write_file, decide: ask }  # 2 calls
`)
  await writeFile(draft, yaml)
  const replayed = JSON.parse((await run('policy', 'replay', draft, '--json')).out)
  expect(replayed).toMatchObject({
    calls: 7,
    counts: { ask: { allow: 3, ask: 3, deny: 0, unknown: 0 }, deny: { ask: 1 } },
    changes: [
      { server: 'files', tool: 'read_file', was: 'ask', now: 'allow', calls: 3 },
      { server: 'files', tool: 'drop_all', was: 'deny', now: 'ask', calls: 1 },
    ],
  })
})

test('what cannot be judged is counted, with what would tell', async () => {
  const { draft, run } = await anInstallation([
    { tool: 'pay', times: 3 },
    { tool: 'pay', times: 2, keep: { to: 'me' } },
  ])
  await writeFile(draft, `policy: { rules: [{ tool: pay, when: "args.to == 'me'", decide: deny }] }`)
  const { code, out } = await run('policy', 'replay', draft)
  expect(code).toBe(0)
  expect(out).toMatch(/^was asked about +0 +0 +2 +3$/m)
  expect(out).toMatch(/^2 +files +pay +asked about +denied$/m)
  expect(out).toContain('3 calls cannot be judged:\n  3: their arguments were not kept')

  await writeFile(draft, 'default: deny\n')
  expect((await run('policy', 'replay', draft)).out).toMatch(/^was asked about +0 +0 +5 +0$/m)
  expect((await run('policy', 'replay', draft, '--since', '1ms')).out).toBe('The audit has no calls to replay.\n')

  await writeFile(draft, 'policy:\n  rules: [{ decide: maybe }]\n')
  expect(await run('policy', 'replay', draft)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/draft\.yaml:2: policy\.rules\[0\]\.decide/),
  })
})

test('without a store there is nothing to tell, and none is made', async () => {
  const folder = await temporaryFolder()
  const run = (...args: string[]) => assent(args, {}, folder)
  expect((await run('report')).out).toBe('The audit has no calls yet.\n')
  await writeFile(join(folder, 'draft.yaml'), 'default: deny\n')
  expect((await run('policy', 'replay', 'draft.yaml')).out).toBe('The audit has no calls to replay.\n')
})

async function proposalsFor(...calls: readonly Recorded[]) {
  async function* all() {
    for (const { tool, decided = 'ask', times = 1, watched = false, refused, rule } of calls) {
      for (let time = 0; time < times; time += 1) {
        const common = { at: new Date(), walk: `${tool}${time}`, client: 'x', server: 's', tool, decided, watched }
        yield { ...common, ran: refused === undefined, ...(rule && { rule }), ...(refused && { reason: refused }) }
      }
    }
  }
  return propose((await tallyCalls(all())).tools.values()).map(({ tool, decide }) => [tool, decide])
}

test('rules are proposed from what people said, then from names, and never for a name that would match others', async () => {
  expect(
    await proposalsFor(
      { tool: 'publish', times: 5 },
      { tool: 'tweet', times: 4 },
      { tool: 'getSecret', times: 9 },
      { tool: 'getSecret', refused: 'declined' },
      { tool: 'nag', times: 5, refused: 'always_deny' },
      { tool: 'removeGet', times: 9 },
      { tool: 'named', rule: 1 },
      { tool: 'read_*', watched: true },
      { tool: 'get\u202eevil', watched: true },
    ),
  ).toEqual([
    ['getSecret', 'ask'],
    ['nag', 'deny'],
    ['publish', 'allow'],
    ['removeGet', 'ask'],
    ['tweet', 'ask'],
  ])
})
