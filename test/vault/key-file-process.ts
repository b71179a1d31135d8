import { keyFile } from '../../src/vault/key-file.ts'
import { createVault } from '../../src/vault/vault.ts'

// A process of its own, for tests of several at once: says when it is ready, waits to be let go, does one thing.
const [path = '', deed = ''] = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  const keys = keyFile(path)
  const done = deed === 'add' ? await keys.addKey() : await createVault(keys).seal('from a child', 'test')
  process.stdout.write(`${JSON.stringify(done)}\n`)
  process.stdin.destroy()
})
