import { readPolicy } from '../../approval/policy/read-policy.ts'
import { complain } from '../print.ts'
import type { Config } from './config.ts'
import type { Problem } from './problems.ts'
import { findOutOfReach } from './reach.ts'
import { type ListedTools, unknownServers, unknownTools } from './rule-names.ts'

/** The approvers who cannot answer, each with its line. A rule that nobody could answer was refused when the settings were read. */
export async function reachWarnings({ policy, auth, written }: Config): Promise<string[]> {
  return findOutOfReach(await readPolicy(policy), auth).map((problem) => withLine(written, problem))
}

/** The names in rules that nothing is called by, each with its line. Tools are judged where they are given. */
export function nameWarnings(config: Config, tools?: ListedTools): string[] {
  const unknown = [...unknownServers(config), ...(tools === undefined ? [] : unknownTools(config, tools))]
  return unknown.map((problem) => withLine(config.written, problem))
}

/** Prints both to standard error. */
export async function warnAboutPolicy(config: Config): Promise<void> {
  for (const warning of [...(await reachWarnings(config)), ...nameWarnings(config)]) complain(`Warning: ${warning}`)
}

function withLine(written: Config['written'], { path, message }: Problem): string {
  return written === undefined ? message : `${written.file}:${written.lineOf(path)}: ${message}`
}
