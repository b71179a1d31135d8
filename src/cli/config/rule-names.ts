import { globMatcher } from '../../approval/policy/glob.ts'
import type { RuleSettings } from '../../approval/policy/policy-settings.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { hookClients } from '../../hooks/contracts.ts'
import type { Config } from './config.ts'
import { nearest } from './near-names.ts'
import { type Problem, pathText } from './problems.ts'

/** The tools that servers listed, by server. A server whose list is not known, or not complete, is left out. */
export type ListedTools = ReadonlyMap<string, readonly string[]>

type Named = Pick<Config, 'policy' | 'servers'>

/**
 * Servers that rules name and the settings do not have: such a rule decides nothing, which is silent. Settings without
 * servers may be for `assent run`, where each client names its own. Names with a slash are agents of spaces.
 */
export function unknownServers({ policy, servers }: Named): Problem[] {
  if (servers.size === 0) return []
  const known = [...servers.keys(), ...hookClients]
  return policy.rules.flatMap((rule, index) =>
    listed(rule.server)
      .filter((name) => !name.includes('/') && !known.some(globMatcher(name)))
      .map((name) => problem(index, 'server', `no server is called "${shown(name)}"`, nearest(name, known))),
  )
}

/** Tools that rules name and none of their servers has. Only rules about servers whose tools are known are judged. */
export function unknownTools({ policy, servers }: Named, tools: ListedTools): Problem[] {
  return policy.rules.flatMap((rule, index) => {
    const offered = offeredTo(rule, servers, tools)
    if (offered === undefined) return []
    return listed(rule.tool)
      .filter((name) => !offered.some(globMatcher(name)))
      .map((name) =>
        problem(index, 'tool', `no server of the rule has a tool "${shown(name)}"`, nearest(name, offered)),
      )
  })
}

/** The tools of the servers that a rule names. Undefined if the rule may be about others too. */
function offeredTo(
  { server }: RuleSettings,
  servers: Config['servers'],
  tools: ListedTools,
): readonly string[] | undefined {
  const matchers = listed(server).map(globMatcher)
  const isAbout = (id: string) => matchers.some((matches) => matches(id))
  const ids = [...servers.keys()].filter(isAbout)
  if (ids.length === 0 || hookClients.some(isAbout) || ids.some((id) => !tools.has(id))) return undefined
  return ids.flatMap((id) => tools.get(id) ?? [])
}

function listed(names: string | readonly string[] | undefined): readonly string[] {
  if (names === undefined) return []
  return typeof names === 'string' ? [names] : names
}

function problem(index: number, setting: string, words: string, near: readonly string[]): Problem {
  const path = ['policy', 'rules', index, setting]
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  return { path, message: `${pathText(path)}: ${words}.${hint}` }
}

const shown = (name: string) => visibleLine(name, 60)
