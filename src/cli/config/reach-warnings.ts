import { readPolicy } from '../../approval/policy/read-policy.ts'
import { complain } from '../print.ts'
import type { Config } from './config.ts'
import type { Problem } from './problems.ts'
import { findOutOfReach } from './reach.ts'

/** What works only in part: who cannot be reached though somebody else can. What nobody could answer is an error before. */
export async function reachWarnings({ policy, auth, written }: Config): Promise<string[]> {
  const where = ({ path, message }: Problem) =>
    written === undefined ? message : `${written.file}:${written.lineOf(path)}: ${message}`
  return findOutOfReach(await readPolicy(policy), auth).map(where)
}

/** Tells whoever starts it. */
export async function warnOutOfReach(config: Config): Promise<void> {
  for (const warning of await reachWarnings(config)) complain(`Warning: ${warning}`)
}
