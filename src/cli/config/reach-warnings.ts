import { readPolicy } from '../../approval/policy/read-policy.ts'
import { complain } from '../print.ts'
import type { Config } from './config.ts'
import type { Problem } from './problems.ts'
import { findOutOfReach } from './reach.ts'

/** What works only in part: who cannot be reached though somebody else can. What nobody could answer is an error before. */
export function reachWarnings({ policy, auth, written }: Config): string[] {
  const where = ({ path, message }: Problem) =>
    written === undefined ? message : `${written.file}:${written.lineOf(path)}: ${message}`
  return findOutOfReach(readPolicy(policy), auth).map(where)
}

/** Tells whoever starts it. */
export function warnOutOfReach(config: Config): void {
  for (const warning of reachWarnings(config)) complain(`Warning: ${warning}`)
}
