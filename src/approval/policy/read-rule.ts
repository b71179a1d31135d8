import { isPlainObject } from '../../base/json.ts'
import type { Answerer } from '../../elicitation/answering/answerers.ts'
import { isAnswererName, isParticipantName, proofs } from '../../elicitation/answering/answerers.ts'
import { priorities } from '../../elicitation/elicitation.ts'
import { defaultLimits } from '../../elicitation/limits.ts'
import type { PolicyPath } from './bad-policy.ts'
import { problemWithGlob } from './glob.ts'
import { type Hints, hintNames } from './hints.ts'
import type { Effect, Fallback, RequesterName, Rule } from './policy.ts'
import { type RuleSettings, ruleSettings } from './policy-settings.ts'
import { readBudget, readLimit, refuseUselessLimits } from './read/read-limits.ts'
import { readPreview } from './read/read-preview.ts'
import { mostVotes, readDelegate, readEscalate, reportUnreachable } from './read/read-voting.ts'
import type { Reading, Settings } from './reading.ts'
import type { compileWhen, When } from './when/when.ts'

const known = Object.keys(ruleSettings) as (keyof RuleSettings)[]
const asking = known.filter((name) => ruleSettings[name] === 'asking')

/** The words of `decide`. */
export const effects: readonly Effect[] = ['allow', 'ask', 'deny']

/** The words of `answer`: the order of proof, and the one that keeps the question from the client. */
const answers = [...proofs, 'inbox'] as const

/** A rule as read, with its expression ready. */
export interface ReadRule {
  readonly rule: Rule
  readonly when?: When
}

/** What the conditions of rules are written in. */
export type CompileWhen = typeof compileWhen

/** Reads one rule; what is wrong is reported, and the rule then worth nothing. */
export function readRule(value: unknown, path: PolicyPath, reading: Reading, compile: CompileWhen): ReadRule {
  const settings = reading.settings(value, path, known)
  const decide = settings.oneOf('decide', effects)
  if (isPlainObject(value) && !settings.has('decide')) {
    settings.report('decide', 'Every rule must say what it decides: allow, ask or deny.')
  }
  refuseUnread(settings, decide)
  refuseUselessLimits(settings, decide)

  const source = settings.text('when')
  const when = source === undefined ? undefined : readWhen(source, settings, compile)
  const answer = settings.oneOf('answer', answers) ?? 'client'
  const rule: Rule = withoutAbsent({
    server: settings.texts('server', problemWithGlob),
    tool: settings.texts('tool', problemWithGlob),
    annotations: readHints(settings, reading),
    requester: settings.texts<RequesterName>('requester', problemWithRequester),
    agents: settings.texts('agents', problemWithGlob),
    commands: settings.texts('commands', problemWithGlob),
    when: source,
    decide: decide ?? 'deny',
    limit: readLimit(settings, reading),
    budget: readBudget(settings, reading),
    preview: readPreview(settings, reading),
    approvers: settings.texts<Answerer>('approvers', problemWithApprover),
    editable: settings.texts('editable', () => undefined) ?? [],
    expiresMs: settings.duration('expires', defaultLimits.longestMs),
    answer,
    fallback: readFallback(settings, answer),
    quorum: aboveOne(settings.whole('quorum', 1, mostVotes)),
    delegate: readDelegate(settings, problemWithApprover),
    escalate: readEscalate(settings, reading, problemWithApprover),
    priority: settings.oneOf('priority', priorities),
    notify: settings.texts('notify', problemWithNotify),
    keepArguments: settings.flag('keepArguments') ?? false,
    reason: settings.text('reason'),
  })
  reportUnreachable(settings, rule)
  return when === undefined ? { rule } : { rule, when }
}

/** A setting that nothing would ever read is a mistake. An allow asks when its condition fails or its limit is reached. */
function refuseUnread(settings: Settings, decide: Effect | undefined): void {
  if (decide === undefined || decide === 'ask') return
  if (decide === 'allow' && (settings.has('when') || hasLimits(settings))) return
  for (const name of asking) {
    if (settings.has(name)) settings.report(name, `A rule that decides ${decide} asks nobody. Leave "${name}" out.`)
  }
}

function hasLimits(settings: Settings): boolean {
  return settings.has('limit') || settings.has('budget')
}

function readWhen(source: string, settings: Settings, compile: CompileWhen): When | undefined {
  const when = compile(source)
  return 'refused' in when ? settings.report('when', when.refused) : when
}

function readHints(settings: Settings, reading: Reading): Partial<Hints> | undefined {
  return settings.read('annotations', (value, path) => {
    const hints = reading.settings(value, path, hintNames)
    if (isPlainObject(value) && Object.keys(value).length === 0) {
      reading.report(path, `This must name a hint: ${hintNames.join(', ')}.`)
    }
    const said = hintNames.filter((name) => hints.has(name))
    return Object.fromEntries(said.map((name) => [name, hints.flag(name) ?? true]))
  })
}

/** One is what holds without a quorum: a rule that says it is no other rule. */
function aboveOne(quorum: number | undefined): number | undefined {
  return quorum === 1 ? undefined : quorum
}

/** DESIGN 4: running unasked is only for what the requester could have approved in their own client. */
function readFallback(settings: Settings, answer: Rule['answer']): Fallback | undefined {
  const fallback = settings.oneOf<Fallback>('fallback', ['inbox', 'deny', 'allow'])
  if (fallback !== 'allow') return fallback
  if (hasLimits(settings)) {
    return settings.report(
      'fallback',
      'This cannot be allow with a limit: nothing would stop beyond it. Use inbox or deny.',
    )
  }
  const isForOthers = settings.has('approvers')
  if (!isForOthers && answer === 'client') return fallback
  const reason = isForOthers ? 'with approvers' : `with answer: ${answer}`
  return settings.report('fallback', `This cannot be allow ${reason}: nobody would have said yes. Use inbox or deny.`)
}

function problemWithRequester(name: string): string | undefined {
  if (isParticipantName(name) || /^(?:group|client):./.test(name)) return undefined
  return `"${name}" is nobody. Write local, subject@issuer, group:name or client:id.`
}

function problemWithApprover(name: string): string | undefined {
  if (isAnswererName(name)) return undefined
  return `"${name}" cannot approve. Write local, subject@issuer or group:name.`
}

function problemWithNotify(name: string): string | undefined {
  if (isAnswererName(name) || /^channel:./.test(name)) return undefined
  return `"${name}" cannot be notified. Write local, subject@issuer, group:name or channel:name.`
}

function withoutAbsent(rule: { [Key in keyof Rule]: Rule[Key] | undefined }): Rule {
  return Object.freeze(Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined))) as never
}
