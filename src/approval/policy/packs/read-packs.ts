import { isPlainObject } from '../../../base/json.ts'
import type { PolicyPath } from '../bad-policy.ts'
import { globMatcher, problemWithGlob } from '../glob.ts'
import type { RuleSettings } from '../policy-settings.ts'
import type { Reading, Settings } from '../reading.ts'
import type { Packs } from './pack.ts'

/** A rule of a pack that a policy extends, and where the policy says so. */
interface PackedRule {
  readonly pack: string
  readonly rule: RuleSettings
  readonly path: PolicyPath
}

/** The rules of all packs that a policy extends, in its order. What is wrong with `extends` is reported. */
export function readPacks(settings: Settings, reading: Reading, packs: Packs): readonly PackedRule[] {
  const named = new Set<string>()
  const rules = settings.read('extends', (value, path) => {
    const list = Array.isArray(value) ? value : [value]
    return list.flatMap((entry, index) => {
      const at = Array.isArray(value) ? [...path, index] : path
      const use = readUse(entry, at, reading, packs)
      if (use === undefined) return []
      const key = JSON.stringify(use)
      if (named.has(key)) reading.report(at, `"${use.pack}" is named twice. Keep one of the two.`)
      named.add(key)
      const limitedTo = (rule: RuleSettings) => limited(rule, use).map((rule) => ({ pack: use.pack, rule, path: at }))
      return (packs[use.pack] as Packs[string]).flatMap(limitedTo)
    })
  })
  return rules ?? []
}

interface Use {
  readonly pack: string
  readonly server?: readonly string[]
}

function readUse(entry: unknown, path: PolicyPath, reading: Reading, packs: Packs): Use | undefined {
  if (!isPlainObject(entry)) {
    const pack = knownPack(entry, path, reading, packs)
    return pack === undefined ? undefined : { pack }
  }
  const settings = reading.settings(entry, path, ['pack', 'server'])
  const pack = knownPack(entry.pack, [...path, 'pack'], reading, packs)
  const server = settings.texts('server', problemWithGlob)
  if (!settings.has('server')) settings.report('server', 'This must name the servers that the pack is for.')
  return pack === undefined || server === undefined ? undefined : { pack, server }
}

function knownPack(name: unknown, path: PolicyPath, reading: Reading, packs: Packs): string | undefined {
  if (typeof name === 'string' && Object.hasOwn(packs, name)) return name
  const said = typeof name === 'string' ? `There is no pack "${name}".` : 'This must be the name of a pack.'
  return reading.report(path, `${said} There are ${Object.keys(packs).join(', ')}.`)
}

/** A rule that is about certain servers stays with those of them that the policy names too, if there are any. */
function limited(rule: RuleSettings, { server }: Use): RuleSettings[] {
  if (server === undefined) return [rule]
  if (rule.server === undefined) return [{ ...rule, server }]
  const matchers = server.map(globMatcher)
  const both = [rule.server].flat().filter((name) => matchers.some((matches) => matches(name)))
  return both.length === 0 ? [] : [{ ...rule, server: both }]
}
