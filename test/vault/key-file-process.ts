import { keyFile } from '../../src/vault/key-file.ts'
import { createVault } from '../../src/vault/vault.ts'

// A separate process for tests of concurrency: reports that it is ready, waits for the start signal, does one thing.
const [path = '', action = ''] = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  const keys = keyFile(path)
  const done = action === 'add' ? await keys.addKey() : await createVault(keys).seal('from a child', 'test')
  process.stdout.write(`${JSON.stringify(done)}\n`)
  process.stdin.destroy()
})
