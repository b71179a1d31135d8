import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/cli/config/read.ts'
import { startWarnings } from '../../../src/cli/config/start-warnings.ts'
import { temporaryFolder } from '../../support/temporary.ts'

async function warningsFor(settings: string, env: Record<string, string> = {}, allowPasted = false) {
  const file = join(await temporaryFolder(), 'assent.yaml')
  await writeFile(file, `version: 1\n${settings}`)
  return startWarnings(await readConfig({ config: file, allowPasted }, env), env)
}

test.each(['listen: 127.0.0.1:4190', 'publicUrl: http://localhost:6000', 'listen: 127.0.0.1:10080'])(
  'warns of a port that fetch refuses: %s',
  async (settings) => {
    const [port] = /\d+$/.exec(settings) ?? []
    expect(await warningsFor(settings)).toEqual([
      `Browsers and most MCP clients refuse port ${port} ("bad port"). Choose another, such as 4180.`,
    ])
  },
)

test('a port that fetch refuses is really refused, and one that is not listed is not', async () => {
  const cause = async (port: number) => fetch(`http://127.0.0.1:${port}`).catch(({ cause }) => String(cause))
  expect(await cause(4190)).toContain('bad port')
  expect(await cause(4189)).not.toContain('bad port')
  expect(await warningsFor('listen: 127.0.0.1:4189')).toEqual([])
})

test('warns of a password in the address of a proxy, if a program gets it, and does not print it', async () => {
  const env = { https_proxy: 'http://me:hunter2@proxy.example.com:8080' }
  expect(await warningsFor('servers: { up: { url: "https://example.com/mcp" } }', env)).toEqual([])
  const [warning = '', ...others] = await warningsFor('servers: { files: { command: node } }', env)
  expect(others).toEqual([])
  expect(warning).toContain('https_proxy holds a user name or a password')
  expect(warning).not.toContain('hunter2')
})

test('says that what another client calls without asking is not allowed by itself, or that it is allowed now', async () => {
  const servers = 'mcpServers: { files: { command: node, alwaysAllow: [read_file], autoApprove: [list] } }'
  expect(await warningsFor(servers)).toEqual([
    expect.stringContaining('alwaysAllow or autoApprove of files (read_file, list) allows nothing by itself'),
  ])
  expect(await warningsFor(servers, {}, true)).toEqual([
    expect.stringMatching(/^These tools of files run without a question .*: read_file, list\.$/),
  ])
})
