import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { newServer } from '../support/gateway/gateways.ts'
import { say } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

test('assent tools lists what servers offer and what the policy says, and allows what was shown', async () => {
  const now = { words: 'Reads a file.' }
  const url = await newServer((mcp) => {
    mcp.registerTool('read', { description: now.words }, () => say('done'))
  })
  const file = join(await temporaryFolder(), 'assent.yaml')
  const policy = 'policy: { default: ask, rules: [{ tool: read, decide: allow }] }'
  await writeFile(file, `version: 1\npin: true\n${policy}\nservers: { files: { url: "${url}" } }\n`)
  const run = (...args: string[]) => assent(['--config', file, 'tools', ...args])
  const read = async () => JSON.parse((await run('--json')).out)[0].tools[0]

  expect((await run()).out).toMatch(/files {2}\(pinned\)\n.*\n {2}read +allow \(rule 1\) +held back: new/)
  // Nobody at the terminal is no yes.
  expect(await run('allow', 'files')).toMatchObject({
    code: 1,
    err: expect.stringContaining('nobody is at the terminal'),
  })
  expect(await read()).toMatchObject({ tool: 'read', held: 'new', changes: 0, policy: { decide: 'allow', rule: 1 } })

  const allowed = await run('allow', 'files', 'read', '--yes')
  expect(allowed).toMatchObject({ code: 0, out: expect.stringContaining('Allowed: read of files.') })
  expect(allowed.out).toContain('description: "Reads a file."')
  expect(await read()).not.toHaveProperty('held')

  now.words = 'Reads a file.\u202e Or more.'
  expect(await read()).toMatchObject({ held: 'changed', changes: 1 })
  const changed = await run('allow', 'files', '--yes')
  expect(changed.out).toContain('was "Reads a file."')
  expect(changed.out).toContain('U+202E')
  expect(changed.out).not.toContain('\u202e')
  expect(await run('allow', 'files', 'nothing', '--yes')).toMatchObject({ code: 1 })
  expect((await run('allow', 'files', '--yes')).out).toBe('Nothing of files is held back.\n')
  expect(await run('list', 'nowhere')).toMatchObject({ code: 2 })
})
