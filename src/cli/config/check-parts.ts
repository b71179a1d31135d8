import { BadPolicy } from '../../approval/policy/bad-policy.ts'
import type { Policy } from '../../approval/policy/policy.ts'
import { systemClock } from '../../base/clock.ts'
import { BadConfig } from '../../base/errors.ts'
import { type Config, nameOfChannel } from './config.ts'
import { type Problem, pathText } from './problems.ts'
import { findOutOfReach } from './reach.ts'
import type { Environment } from './read/environment.ts'

/** What `oauth/` and `approval/` find wrong with their parts of the settings. Each is loaded only when its part is written. */
export async function checkParts({
  providers,
  policy,
  auth,
  channels,
}: Pick<Config, 'providers' | 'policy' | 'auth' | 'channels'>): Promise<Problem[]> {
  return [...(await checkProviders(providers)), ...(await checkPolicy(policy, auth)), ...checkNotify(policy, channels)]
}

async function checkProviders(providers: Config['providers']): Promise<Problem[]> {
  const names = Object.keys(providers)
  if (names.length === 0) return []
  const { providersFrom } = await import('../../oauth/providers.ts')
  // One at a time: reading stops at the first problem of a provider, and the others are to be checked too.
  return names.flatMap((name) => {
    try {
      providersFrom({ [name]: providers[name] as never }, { clock: systemClock })
      return []
    } catch (error) {
      if (!(error instanceof BadConfig)) throw error
      return [{ path: ['providers', ...error.path], message: error.message }]
    }
  })
}

/** A rule that names only channels that do not exist would tell nobody. */
function checkNotify({ rules }: Config['policy'], channels: Config['channels']): Problem[] {
  const names = channels.map(nameOfChannel)
  return rules.flatMap(({ notify = [] }, index) =>
    [notify]
      .flat()
      .filter((name) => typeof name === 'string' && name.startsWith('channel:') && !names.includes(name.slice(8)))
      .map((name) => {
        const path = ['policy', 'rules', index, 'notify']
        const known = names.length === 0 ? 'There are none under channels' : `There are ${names.join(', ')}`
        return { path, message: `${pathText(path)} names "${name}", and there is no such channel. ${known}.` }
      }),
  )
}

const plainSettings = new Set(['mode', 'default', 'fallback', 'rules'])

async function checkPolicy(policy: Config['policy'], auth: Config['auth']): Promise<Problem[]> {
  if (policy.rules.length === 0 && Object.keys(policy).every((name) => plainSettings.has(name))) return []
  const { readPolicy } = await import('../../approval/policy/read-policy.ts')
  // A rule that asks people who cannot answer is refused now, and not when the first call waits for them.
  const outOfReach = (read: Policy) => findOutOfReach(read, auth).filter(({ severity }) => severity === 'error')
  try {
    return outOfReach(await readPolicy(policy))
  } catch (error) {
    if (!(error instanceof BadPolicy)) throw error
    const faults = error.problems.map((problem) => {
      const path = ['policy', ...problem.path]
      return { path, message: `${pathText(path)}: ${problem.message}` }
    })
    return [...faults, ...outOfReach(await readPolicy(withoutFaults(policy, error)))]
  }
}

/** The policy with a plain `deny` in the place of each rule that cannot be read. A rule that denies asks nobody. */
function withoutFaults(
  { mode, default: byDefault, fallback, rules }: Config['policy'],
  { problems }: BadPolicy,
): object {
  const wrong = new Set(problems.flatMap(({ path: [name, index] }) => (name === 'rules' ? [index] : [])))
  const usable = rules.map((rule, index) => (wrong.has(index) ? { decide: 'deny' } : rule))
  // A problem without an index is one of the whole list, such as too many rules.
  return { mode, default: byDefault, fallback, rules: wrong.has(undefined) ? [] : usable }
}

/** Puts `${env:NAME}` back where a message quotes the value of that variable, which may be a secret. */
export function hideVariables(problem: Problem, raw: unknown, env: Environment): Problem {
  const names = [...JSON.stringify(raw).matchAll(/\$\{env:(\w+)/g)].map(([, name]) => name as string)
  const message = names.reduce((text, name) => text.replaceAll(env[name] || '\0', `\${env:${name}}`), problem.message)
  return { ...problem, message }
}
