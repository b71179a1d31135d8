import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serverNameIn } from '../../src/cli/run/server-name.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.each([
  ['npx -y @modelcontextprotocol/server-filesystem /data', 'server-filesystem'],
  ['npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /data', 'server-filesystem'],
  ['npx -y @playwright/mcp@latest', 'playwright-mcp'],
  ['uvx mcp-server-git', 'mcp-server-git'],
  ['python3 -m mcp_server_time', 'mcp_server_time'],
  ['/usr/bin/node /srv/notes.js', 'notes'],
  ['node /app/node_modules/@modelcontextprotocol/server-memory/dist/index.js', 'server-memory'],
  ['./server', 'server'],
])('%s is called %s', (command, name) => {
  // There is no package at the root.
  expect(serverNameIn(command.split(' '), '/')).toBe(name)
})

test('a script whose name says nothing is called after the package that it is in', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'dist'))
  await writeFile(join(folder, 'package.json'), '{ "name": "@acme/notes-server" }')
  expect(serverNameIn(['node', join(folder, 'dist/index.js')])).toBe('notes-server')
  expect(serverNameIn(['node', 'dist/index.js'], folder)).toBe('notes-server')
})
