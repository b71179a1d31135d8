import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BadArgument } from '../../src/base/errors.ts'
import type { Sealed } from '../../src/base/seal.ts'
import { BadKeys, KeyInUse, KeyMissing } from '../../src/vault/errors.ts'
import { keyFile } from '../../src/vault/key-file.ts'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { createVault } from '../../src/vault/vault.ts'
import { compiled } from '../support/programs.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assent-keys-'))
  path = join(folder, 'keys')
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const modeOf = (name: string) => statSync(name).mode & 0o777
const idsIn = async (name: string) => [...(await keyFile(name).reload()).byId.keys()]

test('a missing key file is created, readable only by its owner, in a folder of the same kind', async () => {
  const deep = join(folder, 'state', 'assent', 'keys')
  const { sealing } = await keyFile(deep).keys()

  expect(modeOf(deep)).toBe(0o600)
  expect(modeOf(join(folder, 'state'))).toBe(0o700)
  expect(modeOf(join(folder, 'state', 'assent'))).toBe(0o700)
  expect(readdirSync(join(folder, 'state', 'assent'))).toEqual(['keys'])
  expect(readFileSync(deep, 'utf8').split('\n').at(-2)).toBe(formatKey(sealing))
})

test('a value sealed before a restart opens after it', async () => {
  const sealed = await createVault(keyFile(path)).seal('hunter2', 'here')
  expect(await createVault(keyFile(path)).open(sealed, 'here')).toBe('hunter2')
})

test('concurrent starts in one process agree on one key', async () => {
  const keyrings = await Promise.all(Array.from({ length: 20 }, () => keyFile(path).keys()))
  expect(new Set(keyrings.map(({ sealing }) => sealing.id)).size).toBe(1)
})

test('processes that start at once agree on one key', async () => {
  const sealed = await runAtOnce<Sealed>(6, 'seal')
  const vault = createVault(keyFile(path))

  expect(new Set(sealed.map(({ key }) => key))).toEqual(new Set([await vault.currentKey()]))
  for (const one of sealed) expect(await vault.open(one, 'test')).toBe('from a child')
  expect(readdirSync(folder)).toEqual(['keys'])
})

test('processes that rotate at once lose no key', async () => {
  const [first] = await idsIn(path)
  const added = await runAtOnce<string>(6, 'add')

  const ids = await idsIn(path)
  expect(new Set(ids)).toEqual(new Set([first, ...added]))
  expect(ids.at(-1)).toBe(first)
  expect(modeOf(path)).toBe(0o600)
})

test('a file written by hand is read: one key per line, with comments, in the given order', async () => {
  const [one, two] = [makeKey(), makeKey()]
  write(`\ufeff# mine\r\n\r\n  ${formatKey(one)} # the new one\r\n#${formatKey(makeKey())}\r\n${formatKey(two)}`)

  const keyring = await keyFile(path).keys()
  expect(keyring.sealing.id).toBe(one.id)
  expect([...keyring.byId.keys()]).toEqual([one.id, two.id])
})

test('adding a key keeps the comments, and puts the new key first', async () => {
  const [one, two] = [makeKey(), makeKey()]
  write(`# mine\n${formatKey(one)} # one\n# two:\n${formatKey(two)}\n`)
  const keys = keyFile(path)

  const added = await keys.addKey()
  await keys.dropKey(one.id)

  const { sealing } = await keys.keys()
  expect(sealing.id).toBe(added)
  expect(readFileSync(path, 'utf8')).toBe(`# mine\n${formatKey(sealing)}\n# two:\n${formatKey(two)}\n`)
})

test('adding a key creates a missing file', async () => {
  const added = await keyFile(path).addKey()
  const ids = await idsIn(path)
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(added)
})

test('a process seals under a key that another process has just added', async () => {
  const here = createVault(keyFile(path))
  const first = await here.currentKey()

  const added = await keyFile(path).addKey()

  expect(first).not.toBe(added)
  expect(await here.currentKey()).toBe(added)
  expect((await here.seal('hunter2', 'here')).key).toBe(added)
})

test('a process that read the file earlier opens a value sealed under a newer key', async () => {
  const here = createVault(keyFile(path))
  const old = await here.seal('old', 'here')
  const there = keyFile(path)
  await there.addKey()

  const sealed = await createVault(there).seal('new', 'here')
  expect(await here.open(sealed, 'here')).toBe('new')
  expect(await here.open(old, 'here')).toBe('old')
})

test('keys are cached while the file stays the same, and read again on demand', async () => {
  const keys = keyFile(path)
  const first = await keys.keys()

  expect(await keys.keys()).toBe(first)
  expect(await keys.reload()).not.toBe(first)
})

test('a dropped key does not open anything any more', async () => {
  const keys = keyFile(path)
  const vault = createVault(keys)
  const sealed = await vault.seal('hunter2', 'here')
  await keys.addKey()
  await keys.dropKey(sealed.key)

  await expect(vault.open(sealed, 'here')).rejects.toThrow(KeyMissing)
})

test('the sealing key and an unknown key cannot be dropped, and the file is not changed', async () => {
  const keys = keyFile(path)
  const first = await keys.addKey()
  const before = readFileSync(path, 'utf8')

  await expect(keys.dropKey(first)).rejects.toThrow(KeyInUse)
  await expect(keys.dropKey(first)).rejects.toMatchObject({ code: 'key_in_use' })
  await expect(keys.dropKey('nobody')).rejects.toThrow(BadArgument)
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect(readdirSync(folder)).toEqual(['keys'])
})

test('dropping a key does not affect one whose id has the same beginning', async () => {
  const [one, two, three] = [makeKey(), makeKey(), makeKey()].map(formatKey).map((text, index) => {
    return text.replace(/^[^:]*/, ['k', 'k1', 'k12'][index] ?? '')
  })
  write([one, two, three].join('\n'))
  await keyFile(path).dropKey('k1')
  expect(await idsIn(path)).toEqual(['k', 'k12'])
})

test.each([0o640, 0o604, 0o644, 0o620, 0o666, 0o610])(
  'attack: the mode %o gives access to other users',
  async (mode) => {
    write(formatKey(makeKey()), mode)
    const error = await refusal()
    expect(error.message).toContain(`chmod 600 ${path}`)
  },
)

test.each([0o600, 0o400, 0o700])('the mode %o is private enough', async (mode) => {
  write(formatKey(makeKey()), mode)
  await keyFile(path).keys()
})

test('a mode that becomes too open while the process runs is noticed', async () => {
  const keys = keyFile(path)
  await keys.keys()
  chmodSync(path, 0o644)
  await expect(keys.keys()).rejects.toThrow(BadKeys)
})

test.skipIf(process.getuid?.() !== 0)('attack: the file belongs to another user', async () => {
  write(formatKey(makeKey()))
  chownSync(path, 4242, 4242)
  const error = await refusal()
  expect(error.message).toContain('another user')
  expect(error.message).toContain(`chown ${process.getuid?.()} ${path}`)
})

test('without user ids, as on Windows, modes are not checked', async () => {
  write(formatKey(makeKey()), 0o666)
  const getuid = process.getuid
  Reflect.deleteProperty(process, 'getuid')
  try {
    await keyFile(path).keys()
  } finally {
    Object.assign(process, { getuid })
  }
})

test('if folders cannot be synced, as on Windows, a change still works', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  const keys = keyFile(path)
  expect(await keys.addKey()).toBe((await keys.keys()).sealing.id)
})

test('attack: the file is replaced by a link', async () => {
  write(formatKey(makeKey()))
  symlinkSync(path, join(folder, 'link'))
  path = join(folder, 'link')
  expect((await refusal()).message).toContain('not a regular file')
})

test('a folder is not a key file', async () => {
  mkdirSync(path)
  expect((await refusal()).message).toContain('not a regular file')
})

test('attack: the file is replaced by a pipe, and reading does not block', async () => {
  await once(spawn('mkfifo', [path]), 'close')
  expect((await refusal()).message).toContain('not a regular file')
})

test('a socket is not a key file', async () => {
  const server = createServer().listen(path)
  await once(server, 'listening')
  expect((await refusal()).message).toContain(`${path} cannot be used (ENXIO). Check that you may`)
  server.close()
})

test('a name that is too long for its lock file is refused before anything is written', async () => {
  path = join(folder, 'k'.repeat(252))
  expect((await refusal()).message).toContain('cannot be used (ENAMETOOLONG)')
  expect(readdirSync(folder)).toEqual([])
})

test('an impossible path is reported with its cause', async () => {
  write('')
  path = join(path, 'below')
  const error = await refusal()
  expect(error.message).toContain(`${path} cannot be used (ENOTDIR)`)
  expect(error.cause).toBeInstanceOf(Error)
})

test('a file without a key, or with two keys on a line, is refused and not changed', async () => {
  const planted = formatKey(makeKey())
  for (const text of ['', '# nothing\n', `${planted},${formatKey(makeKey())}\n`, `${planted} ${planted}\n`]) {
    write(text)
    const error = await refusal()
    expect(error.message).toContain(`the key file ${path}`)
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(planted.slice(10))
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('a file that goes missing is not created again, which would hide the loss of its keys', async () => {
  const keys = keyFile(path)
  await keys.keys()
  rmSync(path)

  await expect(keys.keys()).rejects.toThrow(/is missing\. Restore it/)
  await expect(keys.reload()).rejects.toThrow(BadKeys)
  await expect(keys.addKey()).rejects.toThrow(BadKeys)
  await expect(keys.dropKey('k1')).rejects.toThrow(BadKeys)
  expect(readdirSync(folder)).toEqual([])
})

test('a lock left by a crash is reported with what to do, and does not stop readers', async () => {
  const keys = keyFile(path)
  const { sealing } = await keys.keys()
  writeFileSync(`${path}.lock`, '')
  utimesSync(`${path}.lock`, new Date(0), new Date(0))

  await expect(keys.addKey()).rejects.toThrow(`${path}.lock was left by a process that stopped`)
  expect((await keys.reload()).sealing.id).toBe(sealing.id)
  expect(existsSync(`${path}.lock`)).toBe(true)
})

test('a change waits until another has ended', async () => {
  const keys = keyFile(path)
  await keys.keys()
  writeFileSync(`${path}.lock`, '')
  setTimeout(() => rmSync(`${path}.lock`), 60)

  const added = await keys.addKey()
  expect((await idsIn(path))[0]).toBe(added)
})

test('printing or inspecting a key file shows no key', async () => {
  const keys = keyFile(path)
  const bytes = (await keys.keys()).sealing.secret.export()
  const printed = inspect(keys, { showHidden: true, depth: 9 }) + JSON.stringify(keys)
  expect(printed).not.toContain(bytes.toString('base64url'))
  expect(printed).not.toContain(bytes.toString('hex'))
})

function write(text: string, mode = 0o600): void {
  writeFileSync(path, text)
  chmodSync(path, mode)
}

async function refusal(): Promise<BadKeys> {
  const error = await keyFile(path)
    .keys()
    .catch((error: unknown) => error)
  expect(error).toBeInstanceOf(BadKeys)
  return error as BadKeys
}

/** Starts processes, waits until all are ready, then gives the start signal to all. */
async function runAtOnce<Result>(count: number, action: 'add' | 'seal'): Promise<Result[]> {
  const script = compiled(new URL('./key-file-process.ts', import.meta.url))
  const started = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, [script, path, action], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() }
  })
  await Promise.all(started.map(({ lines }) => lines.next()))
  for (const { child } of started) child.stdin.write('go\n')
  return Promise.all(started.map(async ({ lines }) => JSON.parse((await lines.next()).value ?? 'null') as Result))
}
