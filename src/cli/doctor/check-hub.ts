import { globMatcher } from '../../approval/policy/glob.ts'
import type { Policy } from '../../approval/policy/policy.ts'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import { agentIdentity, type Member, membersOf } from '../../hub/options.ts'
import type { Config } from '../config/config.ts'
import { type Finding, good, warning, wrong } from './finding.ts'

/** Shorter tokens can be guessed. */
const shortestToken = 16

/** Checks the spaces: who can join, whom patterns and rules reach, and who could answer. */
export async function checkHub({ hub, policy }: Config): Promise<Finding[]> {
  const spaces = Object.entries(hub.spaces).map(([name, options]) => ({ name, members: membersOf(name, options) }))
  const found = spaces.flatMap(({ name, members }) => {
    const all = [...members.values()]
    const problems = [...tokenFindings(name, all), ...actingFindings(name, all), ...patternFindings(name, members)]
    return problems.length > 0 ? problems : [good(`hub ${name}`, `${all.length} participants can join it.`)]
  })
  return spaces.length === 0 ? [] : [...found, ...ruleFindings(await readPolicy(policy), spaces)]
}

function tokenFindings(space: string, members: readonly Member[]): Finding[] {
  const check = `hub ${space}`
  const holders = new Map<string, string>()
  return members.flatMap(({ id, kind, token, participant }) => {
    if (token === undefined) {
      // A person with an inbox need not join.
      if (kind === 'human' && participant !== undefined) return []
      return [warning(check, `${id} has no token, and joins only with tickets (\`assent hub ticket ${space} ${id}\`).`)]
    }
    const other = holders.get(token)
    holders.set(token, id)
    if (other !== undefined) {
      return [wrong(check, `${id} has the same token as ${other}, so who holds it joins as either. Give each its own.`)]
    }
    if (token.length >= shortestToken) return []
    return [warning(check, `The token of ${id} has ${token.length} characters. Use ${shortestToken} or more.`)]
  })
}

function actingFindings(space: string, members: readonly Member[]): Finding[] {
  const check = `hub ${space}`
  const asked = members.some(({ kind, participant }) => kind === 'human' && participant !== undefined)
  if (!asked && members.some(({ kind, asks }) => kind !== 'human' && asks === 'hub')) {
    const words =
      'Nobody here could answer: add a human with `participant`, or calls that a rule asks about are refused.'
    return [warning(check, words)]
  }
  return members.flatMap(({ id, kind, for: person, may }) => {
    if (kind === 'human' || person !== undefined || may.length === 0) return []
    const words = `${id} acts for nobody: its calls are refused where a rule asks and names no approvers. Set \`for\`.`
    return [warning(check, words)]
  })
}

/** Patterns of `may` that no participant of the space matches. */
function patternFindings(space: string, members: ReadonlyMap<string, Member>): Finding[] {
  return [...members.values()].flatMap(({ id, may }) =>
    may.flatMap((one) => {
      const to = typeof one === 'string' || one.to === undefined ? [] : [one.to].flat()
      return to
        .filter((glob) => ![...members.keys()].some(globMatcher(glob)))
        .map((glob) =>
          warning(`hub ${space}`, `\`may\` of ${id} names "${glob}", and nobody in the space is called so.`),
        )
    }),
  )
}

interface CheckedSpace {
  readonly name: string
  readonly members: ReadonlyMap<string, Member>
}

/** Rules about spaces that no agent of any space matches. */
function ruleFindings({ rules }: Policy, spaces: readonly CheckedSpace[]): Finding[] {
  const agents = spaces.flatMap(({ name, members }) =>
    [...members.values()].filter(({ kind }) => kind !== 'human').map(({ id }) => ({ space: name, id })),
  )
  const servers = agents.map(({ space, id }) => `${space}/${id}`)
  const identities = agents.map(({ space, id }) => agentIdentity(space, id))
  const isOfSpace = (glob: string) => spaces.some(({ name }) => glob.startsWith(`${name}/`))
  return rules.flatMap(({ rule, number }) => {
    const lost = [
      ...(rule.server ?? []).filter((glob) => isOfSpace(glob) && !servers.some(globMatcher(glob))),
      ...(rule.agents ?? []).filter((glob) => !identities.some(globMatcher(glob))),
    ]
    return lost.map((glob) => warning('hub rules', `Rule ${number} names "${glob}", and no agent of a space is that.`))
  })
}
