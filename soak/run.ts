import { parseArgs } from 'node:util'
import { soakHub } from './hub.ts'
import { soakInstances } from './instances/instances.ts'
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
npm run soak -- instances          20 minutes of mixed load on three instances, on PostgreSQL and then on Redis, while one is
                                  killed every 20 s, and the store's server every 2 minutes; clocks are 2 minutes apart
npm run soak -- instances --store redis --minutes 10 --callers 8
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    messages: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '100' },
    hungry: { type: 'string', default: '10' },
    'only-hungry': { type: 'boolean', default: false },
    'only-hub': { type: 'boolean', default: false },
    'only-votes': { type: 'boolean', default: false },
    sequences: { type: 'string', default: '20000' },
    store: { type: 'string' },
    minutes: { type: 'string', default: '20' },
    callers: { type: 'string', default: '24' },
    help: { type: 'boolean', default: false },
  },
})
const everySeconds = 20

/** Half of the time on each store, unless one is named. */
async function instances(seed: number): Promise<void> {
  const stores = (['postgres', 'redis'] as const).filter((one) => values.store === undefined || values.store === one)
  const kills = Math.ceil((Number(values.minutes) * 60) / everySeconds / stores.length)
  for (const store of stores) {
    await soakInstances({
      ...{ store, seed, kills, everyMs: everySeconds * 1_000, restartAfter: 6 },
      ...{ callers: Number(values.callers), print },
    })
  }
}

const print = (line: string) => void process.stdout.write(`${line}\n`)

if (values.help) print(help)
else {
  print(`seed: ${values.seed}`)
  const begun = Date.now()
  const [seed, messages, kills] = [Number(values.seed), Number(values.messages), Number(values.kills)]
  const hungry = Number(values.hungry)
  const votes = () => soakVotes({ seed, sequences: Number(values.sequences), print })
  if (positionals[0] === 'instances') await instances(seed)
  else if (values['only-hub']) await soakHub(print)
  else if (values['only-votes']) await votes()
  else if (values['only-hungry']) await soakHungry({ rounds: hungry, print })
  else {
    await soak({ seed, messages, kills, hungry, print })
    await soakHub(print)
    await votes()
  }
  print(`passed in ${Math.round((Date.now() - begun) / 1_000)} s`)
}
