import type { Assent } from '../../assent.ts'
import { AssentError } from '../../base/errors.ts'
import { lastMoment } from '../../elicitation/elicitation.ts'
import { localParticipant } from '../../participant/participant.ts'
import { readAddress } from '../../stores/open.ts'
import type { Config } from '../config/config.ts'
import { checkInstances } from './check-instances.ts'
import { type Finding, good, skipped, warning, wrong } from './finding.ts'

/** Checks the store, its clock, its keys, its questions, who can answer them, and the audit. */
export async function checkStore(config: Config): Promise<Finding[]> {
  const { createAssent } = await import('../../assent.ts')
  let assent: Assent
  try {
    assent = await createAssent({ store: config.store, clocks: { tidy: 0, skew: config.clocks.skew } })
  } catch (error) {
    if (!(error instanceof AssentError)) throw error
    const isKeys = error.code === 'bad_keys' || error.code === 'key_missing'
    return [wrong(isKeys ? 'keys' : 'store', textOf(error))]
  }
  try {
    return [
      await tried('store', () => checkWriting(assent)),
      ...(await checkDurability(config)),
      checkClock(assent),
      await tried('instances', () => checkInstances(assent, config)),
      await tried('keys', () => checkKeys(assent)),
      await tried('questions', () => checkQuestions(assent)),
      await tried('inbox', () => checkInbox(assent, config)),
      await tried('pause', () => checkPause(assent)),
      await tried('audit', () => checkAudit(assent)),
    ]
  } finally {
    await assent.close()
  }
}

async function tried(check: string, work: () => Promise<Finding>): Promise<Finding> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AssentError)) throw error
    return wrong(check, textOf(error))
  }
}

function textOf({ message, detail }: AssentError): string {
  return detail === undefined ? message : `${message} ${detail}`
}

/** Writes one audit event, since nothing less shows that the store can be written to, and looks for damage. */
async function checkWriting(assent: Assent): Promise<Finding> {
  await assent.record({ kind: 'doctor-checked', who: localParticipant })
  const damage = await assent.store.findDamage()
  if (damage.length > 0)
    return wrong('store', `${assent.store.name} is damaged. Restore a backup. ${damage.join('; ')}`)
  return good('store', `${assent.store.name} can be read and written.`)
}

/** A Redis server may confirm what it would lose. Nothing is said of other stores. */
async function checkDurability({ store }: Config): Promise<Finding[]> {
  if (readAddress(store).kind !== 'redis') return []
  const { redisDurability } = await import('../../stores/redis/durability.ts')
  const check = async () => {
    const problem = await redisDurability(store)
    return problem === undefined ? good('store log', 'Redis keeps what it confirms.') : warning('store log', problem)
  }
  return [await tried('store log', check)]
}

/** Expiry times are judged by the store's clock, but tokens, certificates and webhooks by this machine's. */
function checkClock(assent: Assent): Finding {
  const problem = assent.clockProblem()
  if (problem !== undefined) return wrong('store clock', problem)
  const seconds = Math.round(Math.abs(assent.store.clock.machineAheadMs()) / 1_000)
  return good('store clock', `The clock of this machine agrees with the store's to ${seconds} s.`)
}

async function checkKeys(assent: Assent): Promise<Finding> {
  const keys = await assent.keys.list()
  const old = keys.filter(({ seals, inUse }) => !seals && inUse)
  if (old.length === 0)
    return good('keys', `${keys.length === 1 ? '1 key' : `${keys.length} keys`}. Everything is sealed with the newest.`)
  return warning(
    'keys',
    `${old.length} older keys are still in use. Seal everything with the newest: assent keys rotate`,
  )
}

const stuckMs = 5 * 60_000
const mostRead = 10_000

async function checkQuestions(assent: Assent): Promise<Finding> {
  const now = assent.clock.now()
  const open = await assent.store.elicitations.listAllOpen(mostRead)
  const stuck = open.filter((one) => now.getTime() - lastMoment(one).getTime() > stuckMs).length
  const count = `${open.length - stuck} wait for an answer`
  if (stuck === 0) return good('questions', `${count}.`)
  return warning(
    'questions',
    `${count}; ${stuck} have expired and are not settled, because no Assent runs here. Start one: assent`,
  )
}

/** Without a login, only an enrolled browser or the terminal can answer. */
async function checkInbox(assent: Assent, { auth, channels }: Config): Promise<Finding> {
  if (auth !== undefined) return skipped('inbox', 'People sign in to the inbox.')
  const now = assent.clock.now()
  const browsers = (await assent.store.browsers.list(localParticipant)).filter(({ expiresAt }) => expiresAt > now)
  if (browsers.length > 0)
    return good('inbox', `${browsers.length === 1 ? '1 browser' : `${browsers.length} browsers`} can open it.`)
  const unseen = channels.length > 0 ? '' : ', and nobody is notified of questions that a client cannot show'
  return warning('inbox', `No browser is enrolled: only \`assent inbox\` can answer${unseen}. Enrol one: assent open`)
}

async function checkPause(assent: Assent): Promise<Finding> {
  if (!(await assent.approvals.isPaused())) return good('pause', 'Assent is not paused.')
  return warning('pause', 'Assent is paused: every call is denied. End the pause: assent resume')
}

async function checkAudit(assent: Assent): Promise<Finding> {
  const { found, events, chains } = await assent.verifyAudit()
  if (found === 0)
    return good('audit', `It is intact: ${events} events in ${chains === 1 ? '1 chain' : `${chains} chains`}.`)
  return wrong('audit', `${found} problems in ${events} events. See: assent audit verify`)
}
