import { createAssent, type ElicitationId } from '../src/index.ts'
import { alice } from '../src/testing/index.ts'

const assent = await createAssent({ store: process.argv[2] as string })
process.on('message', async (id: ElicitationId) => {
  const answering = { participant: alice, groups: [], via: 'page' } as const
  const start = Date.now()
  await assent.answer(id, answering, { action: 'accept', content: { branch: 'main' } })
  process.send?.(start)
})
process.on('disconnect', () => void assent.close())
process.send?.('ready')
