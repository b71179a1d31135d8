import { createAssent } from '../../src/index.ts'
import { askingServer } from '../support/server/asking-server.ts'

const assent = await createAssent({ store: process.argv[2] as string })
const { url, deeds } = await askingServer(assent)

process.on('message', () => process.send?.(deeds))
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
process.send?.(url.href)
