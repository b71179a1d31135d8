import type { Command } from 'commander'
import { ruleWords } from '../../approval/policy/explain.ts'
import { packs } from '../../approval/policy/packs/packs.ts'
import type { Policy, ReadyRule, Rule } from '../../approval/policy/policy.ts'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { Config } from '../config/config.ts'
import { readDocument } from '../config/document.ts'
import { print } from '../print.ts'
import { configOf } from '../with-assent.ts'

export interface ShowOptions {
  readonly pack?: string
  readonly json?: true
}

/** A rule, and where it comes from. */
interface ShownRule {
  readonly number: number
  readonly origin: string
  readonly rule: Rule
}

/** Shows the whole policy in the order in which it decides, each rule with its origin; or one pack. */
export async function showPolicy(command: Command, { pack, json }: ShowOptions): Promise<void> {
  const config = pack === undefined ? await configOf(command) : undefined
  const policy = await readPolicy(config?.policy ?? { extends: [knownPack(pack as string)] })
  const rules = policy.rules.map((ready) => ({
    number: ready.number,
    origin: originOf(ready, config),
    rule: ready.rule,
  }))
  const { mode, default: byDefault, fallback } = policy
  if (json) return print(JSON.stringify({ ...(config && { mode, default: byDefault, fallback }), rules }))
  for (const shown of rules) showRule(shown)
  if (config === undefined) return
  if (rules.length > 0) print()
  showRest(policy, config, await writtenNames(config))
}

/** The settings of the policy that the file has. */
async function writtenNames({ written }: Config): Promise<readonly string[]> {
  const { value } = written === undefined ? { value: {} as Record<string, unknown> } : await readDocument(written.file)
  return isPlainObject(value.policy) ? Object.keys(value.policy) : []
}

function knownPack(name: string): string {
  if (Object.hasOwn(packs, name)) return name
  throw new BadArgument(`There is no pack "${name}". There are ${Object.keys(packs).join(', ')}.`)
}

function originOf({ number, pack }: ReadyRule, config: Config | undefined): string {
  return pack === undefined ? placeOf(config, ['policy', 'rules', number - 1]) : `pack ${pack}`
}

function placeOf(config: Config | undefined, path: readonly (string | number)[]): string {
  const written = config?.written
  return written === undefined ? 'default' : `${written.file}:${written.lineOf(path)}`
}

function showRule({ number, origin, rule }: ShownRule): void {
  print(`${number}. ${rule.decide}  (${origin})`)
  for (const [name, words] of Object.entries(ruleWords(rule))) {
    if (words !== undefined) print(`   ${name}: ${visibleLine(words, 2_000)}`)
  }
}

function showRest({ mode, default: byDefault, fallback }: Policy, config: Config, written: readonly string[]): void {
  const line = (name: string, value: string) =>
    print(`${name}: ${value}  (${written.includes(name) ? placeOf(config, ['policy', name]) : 'default'})`)
  line('default', byDefault)
  line('fallback', fallback)
  line('mode', mode)
  if (mode === 'watch') print('In watch mode no call is stopped: what would be asked or denied is recorded only.')
}
