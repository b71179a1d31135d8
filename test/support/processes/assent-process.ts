import { createAssent } from '../../../src/index.ts'

const assent = await createAssent({ store: process.argv[2] as string, limits: { openPerRequester: 10_000 } })

process.on(
  'message',
  async ({ id, method, args }: { id: number; method: 'get'; args: Parameters<typeof assent.get> }) => {
    try {
      process.send?.({ id, result: await assent[method](...args) })
    } catch (error) {
      process.send?.({ id, error: String(error) })
    }
  },
)
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
process.send?.('ready')
