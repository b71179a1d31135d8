import { readPolicy } from '../../approval/policy/read-policy.ts'
import { complain } from '../print.ts'
import type { Config } from './config.ts'
import type { Problem } from './problems.ts'
import { findOutOfReach } from './reach.ts'

/** The approvers who cannot answer, each with its line. A rule that nobody could answer was refused when the settings were read. */
export async function reachWarnings({ policy, auth, written }: Config): Promise<string[]> {
  const where = ({ path, message }: Problem) =>
    written === undefined ? message : `${written.file}:${written.lineOf(path)}: ${message}`
  return findOutOfReach(await readPolicy(policy), auth).map(where)
}

/** Prints them to standard error. */
export async function warnOutOfReach(config: Config): Promise<void> {
  for (const warning of await reachWarnings(config)) complain(`Warning: ${warning}`)
}
