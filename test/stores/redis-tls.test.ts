import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { findRedis } from '../../scripts/private-redis.js'
import { freePort } from '../support/free-port.ts'
import { compiled } from '../support/programs.ts'
import { temporaryFolder } from '../support/temporary.ts'

interface TlsRedis {
  readonly port: string
  /** The certificate of the authority that signed the server's. */
  readonly authority: string
}

/** A Redis that takes connections over TLS only, with a certificate of an authority that nobody knows. */
async function tlsRedis(): Promise<TlsRedis> {
  const folder = await temporaryFolder()
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', file(`${name}.key`)]
  openssl('req', '-x509', ...key('ca'), '-out', file('ca.crt'), '-days', '2', '-subj', '/CN=Test authority')
  openssl('req', ...key('redis'), '-out', file('redis.csr'), '-subj', '/CN=localhost')
  await writeFile(file('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  const signed = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2']
  openssl('x509', '-req', '-in', file('redis.csr'), ...signed, '-extfile', file('names'), '-out', file('redis.crt'))
  const port = await freePort()
  const settings = {
    bind: '127.0.0.1',
    port: 0,
    'tls-port': port,
    'tls-cert-file': file('redis.crt'),
    'tls-key-file': file('redis.key'),
    'tls-ca-cert-file': file('ca.crt'),
    'tls-auth-clients': 'no',
    requirepass: 'secret',
    dir: folder,
    appendonly: 'yes',
    save: '""',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  await writeFile(file('redis.conf'), lines.join(''))
  const server = spawn(findRedis() ?? '', [file('redis.conf')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await ended
  })
  for await (const line of createInterface({ input: server.stdout })) if (/eady to accept/.test(line)) break
  return { port, authority: file('ca.crt') }
}

/** What a process says that opens the store. */
async function opened(address: string, authority?: string): Promise<string> {
  const env = { ...process.env, ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }) }
  const child = fork(compiled(new URL('./redis-tls-process.ts', import.meta.url)), [address], { execArgv: [], env })
  const ended = once(child, 'exit')
  const [said] = await once(child, 'message')
  await ended
  return String(said)
}

test('rediss: keeps and notifies over TLS, by the name and by the address of the server', async () => {
  const { port, authority } = await tlsRedis()
  for (const host of ['localhost', '127.0.0.1']) {
    expect(await opened(`rediss://:secret@${host}:${port}/0?prefix=${host}`, authority)).toBe('kept withdrawn')
  }
})

test('attack: a server shows a certificate of an authority that is not trusted, and gets neither a word nor the password', async () => {
  const { port } = await tlsRedis()
  const said = await opened(`rediss://:secret@localhost:${port}/0`)
  expect(said).toMatch(/certificate/)
  expect(said).not.toContain('secret')
})
