import { parseArgs } from 'node:util'
import { soak } from './soak.ts'

const help = `
npm run soak                      100,000 broken messages to each side of a gateway, and 100 kills
npm run soak -- --seed 7          repeats the choices of an earlier run
npm run soak -- --messages 5000 --kills 10
`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    messages: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
})
const print = (line: string) => void process.stdout.write(`${line}\n`)

if (values.help) print(help)
else {
  print(`seed: ${values.seed}`)
  const begun = Date.now()
  const [seed, messages, kills] = [Number(values.seed), Number(values.messages), Number(values.kills)]
  await soak({ seed, messages, kills, print })
  print(`passed in ${Math.round((Date.now() - begun) / 1_000)} s`)
}
