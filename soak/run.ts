import { parseArgs } from 'node:util'
import { soakHub } from './hub.ts'
import { soak, soakHungry } from './soak.ts'
import { soakVotes } from './votes.ts'

const help = `
npm run soak                      100,000 broken messages to each side of a gateway, 100 kills,
                                  10 rounds of memory-hungry clients and upstreams, a killed hub,
                                  and 20,000 random sequences of votes
npm run soak -- --seed 7          repeats the choices of an earlier run
npm run soak -- --messages 5000 --kills 10 --hungry 1
npm run soak -- --only-hungry      the last part alone
npm run soak -- --only-hub         300 approvals among 50 agents while the hub is killed five times
npm run soak -- --only-votes       votes, edits, delegations and crowds against the plain rules; --sequences 5000
`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    messages: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '100' },
    hungry: { type: 'string', default: '10' },
    'only-hungry': { type: 'boolean', default: false },
    'only-hub': { type: 'boolean', default: false },
    'only-votes': { type: 'boolean', default: false },
    sequences: { type: 'string', default: '20000' },
    help: { type: 'boolean', default: false },
  },
})
const print = (line: string) => void process.stdout.write(`${line}\n`)

if (values.help) print(help)
else {
  print(`seed: ${values.seed}`)
  const begun = Date.now()
  const [seed, messages, kills] = [Number(values.seed), Number(values.messages), Number(values.kills)]
  const hungry = Number(values.hungry)
  const votes = () => soakVotes({ seed, sequences: Number(values.sequences), print })
  if (values['only-hub']) await soakHub(print)
  else if (values['only-votes']) await votes()
  else if (values['only-hungry']) await soakHungry({ rounds: hungry, print })
  else {
    await soak({ seed, messages, kills, hungry, print })
    await soakHub(print)
    await votes()
  }
  print(`passed in ${Math.round((Date.now() - begun) / 1_000)} s`)
}
