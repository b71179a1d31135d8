import type { Policy, ReadyRule } from '../../approval/policy/policy.ts'
import type { Answerer } from '../../elicitation/answering/answerers.ts'
import { localParticipant } from '../../participant/participant.ts'
import type { AuthConfig } from './config.ts'
import { type Problem, pathText } from './problems.ts'

/** A rule that asks people who cannot answer. */
export interface OutOfReach extends Problem {
  /** `error` when nobody at all could answer, `warning` when some of the approvers could not. */
  readonly severity: 'error' | 'warning'
}

/** The rules whose approvers could not answer, or not enough of them, judged by the settings alone. */
export function findOutOfReach(policy: Policy, auth: AuthConfig | undefined): OutOfReach[] {
  const found = policy.rules.filter(asks).flatMap((ready) => judge(ready, auth))
  return [...found, ...inboxWithoutPages(policy, auth)]
}

/** An `allow` with a `when` asks too: whenever its condition cannot be evaluated. */
function asks({ rule }: ReadyRule): boolean {
  return rule.decide === 'ask' || (rule.decide === 'allow' && rule.when !== undefined)
}

function judge({ rule, number, pack }: ReadyRule, auth: AuthConfig | undefined): OutOfReach[] {
  const at = (setting: string, severity: OutOfReach['severity'], words: string): OutOfReach => {
    const path = pack === undefined ? ['policy', 'rules', number - 1, setting] : ['policy', 'extends']
    const named = pack === undefined ? pathText(path) : `${setting} of a rule of the pack ${pack}`
    return { path, severity, message: `${named} ${words}` }
  }
  if (auth !== undefined && !hasPages(auth)) {
    const needsPage = rule.approvers !== undefined ? 'approvers' : rule.answer !== 'client' ? 'answer' : undefined
    if (needsPage !== undefined) {
      return [at(needsPage, 'error', 'needs pages that people can sign in to; add auth.clientId or auth.proxy.')]
    }
  }
  const { approvers = [] } = rule
  const lost = judgeNames('approvers', approvers, auth, at)
  const found: OutOfReach[] = [...lost, ...judgeVoting(rule, auth, at)]
  if (auth?.groupsClaim === undefined && hasPages(auth) && approvers.some(isGroup) && lost.length === 0) {
    found.push(
      at(
        'approvers',
        'warning',
        'names a group; add auth.groupsClaim if the login does not name groups in the claim `groups`.',
      ),
    )
  }
  return found
}

type At = (setting: string, severity: OutOfReach['severity'], words: string) => OutOfReach

/** A quorum that cannot be reached, and escalations and delegations to nobody who could answer. */
function judgeVoting(rule: ReadyRule['rule'], auth: AuthConfig | undefined, at: At): OutOfReach[] {
  const { approvers = [], quorum = 1, escalate = [], delegate } = rule
  const canAnswer = (name: Answerer) => whyNot(name, auth) === undefined
  const reached = new Set([...approvers, ...escalate.flatMap(({ to }) => to)].filter(canAnswer))
  const isEnough = [...reached].some(isGroup) || reached.size >= quorum
  const found: OutOfReach[] = []
  if (quorum > 1 && !isEnough) {
    const who = reached.size === 0 ? 'nobody' : [...reached].join(', ')
    found.push(at('quorum', 'error', `cannot be reached: ${quorum} people must say yes, and here only ${who} can.`))
  }
  for (const { to } of escalate) found.push(...judgeNames('escalate', to, auth, at))
  if (delegate === true && auth === undefined) {
    const words = 'lets nobody be found: without auth there is only the person "local"; add auth, or leave it out.'
    found.push(at('delegate', 'error', words))
  }
  return [...found, ...judgeNames('delegate', delegate === true ? [] : (delegate ?? []), auth, at)]
}

/** Names of whom nobody, or not all, could answer. */
function judgeNames(setting: string, names: readonly Answerer[], auth: AuthConfig | undefined, at: At): OutOfReach[] {
  const lost = names.filter((name) => whyNot(name, auth) !== undefined)
  const [first] = lost
  if (first === undefined) return []
  const isAll = lost.length === names.length
  const who = isAll ? 'names nobody who could answer' : `names ${lost.join(', ')}, who cannot answer`
  return [at(setting, isAll ? 'error' : 'warning', `${who}: ${whyNot(first, auth)}.`)]
}

function whyNot(name: Answerer, auth: AuthConfig | undefined): string | undefined {
  if (auth === undefined) {
    return name === localParticipant
      ? undefined
      : 'without auth there is only the person "local"; add auth, or write local'
  }
  if (name === localParticipant) return 'nobody is "local" where people sign in; write subject@issuer or group:name'
  if (isGroup(name)) {
    const isKnown = auth.clientId !== undefined || auth.proxy?.groupsHeader !== undefined
    return isKnown ? undefined : 'the proxy does not name groups; add auth.proxy.groupsHeader'
  }
  const issuer = name.slice(name.indexOf('@') + 1)
  return issuer === encodeURI(auth.issuer) ? undefined : `nobody signs in there; the login is ${auth.issuer}`
}

/** With the fallback `inbox`, a question that a client cannot ask waits on pages that nobody can sign in to. */
function inboxWithoutPages(policy: Policy, auth: AuthConfig | undefined): OutOfReach[] {
  if (auth === undefined || hasPages(auth)) return []
  const canAsk = policy.default === 'ask' || policy.rules.some(asks)
  if (!canAsk || policy.fallback !== 'inbox') return []
  const words =
    'is inbox, but nobody can sign in to the inbox, so questions there would expire; add auth.clientId, or write deny.'
  return [{ path: ['policy', 'fallback'], severity: 'warning', message: `policy.fallback ${words}` }]
}

function hasPages(auth: AuthConfig | undefined): boolean {
  return auth === undefined || auth.clientId !== undefined || auth.proxy !== undefined
}

function isGroup(name: Answerer): boolean {
  return name.startsWith('group:')
}
