import { createAssent } from '../../../src/index.ts'
import { createAssentServer } from '../../../src/server/index.ts'
import { doIn, exampleServer } from './asking-example.ts'

const [store, deeds] = process.argv.slice(2) as [string, string]
const assent = await createAssent({ store })
const asking = createAssentServer(assent, { name: 'example' })
const serving = asking.stdio(() => exampleServer(asking, doIn(deeds)))

process.stdin.on('close', async () => {
  await serving.close()
  await assent.close()
})
