import type { Explained } from '../../../approval/policy/explain.ts'
import type { Effect } from '../../../approval/policy/policy.ts'
import {
  type Comparison,
  type ReplayOutcome,
  replayedEffects,
  replayOutcomes,
} from '../../../approval/replay/compare.ts'
import type { OutcomeCounts } from '../../../rollup/overview.ts'
import { csrfField } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount, moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible } from '../question/quote.ts'
import { consoleDocument, nothing, part, table } from './console-frame.ts'

/** A rule of the policy, or what holds where none matches. */
export interface RuleRow {
  /** Absent for what holds where no rule matches. */
  readonly number?: number
  readonly decide: Effect
  readonly pack?: string
  /** Its settings, in words. */
  readonly words: readonly (readonly [name: string, words: string])[]
  /** In seven days. */
  readonly hits: OutcomeCounts
}

/** What was typed into the form that tries a call. */
export interface TriedCall {
  readonly server: string
  readonly tool: string
  readonly arguments: string
  readonly person: string
  readonly client: string
  readonly groups: string
}

export interface PolicyPageProps {
  readonly mode: 'enforce' | 'watch'
  readonly fallback: string
  readonly rules: readonly RuleRow[]
  readonly tried?: TriedCall
  /** What came of it, or why it could not be tried. */
  readonly result?: Explained | { readonly problem: string }
  readonly draft?: string
  readonly replayed?: Comparison | { readonly problem: string }
  readonly mayReplay: boolean
}

const effectWords: Readonly<Record<Effect, string>> = { allow: 'Allow', ask: 'Ask', deny: 'Deny' }
const mostChanges = 30

/** The rules with their hits, a place to try a call, and one to replay a draft. */
export function policyPage(frame: Frame, props: PolicyPageProps): string {
  const { mode, fallback, rules } = props
  const silent = rules.filter((one) => one.number !== undefined && sumOf(one.hits) === 0)
  return consoleDocument(frame, {
    title: 'Policy',
    lead: markup`The first rule that matches decides. Where a client cannot be asked: <code>${fallback}</code>.`,
    body: markup`${mode === 'watch' && markup`<div class="warning">${icons.warning}<p>The policy only watches: it stops no call.</p></div>`}
${part('Rules', ruleTable(frame, rules), 'Hits of the last seven days, by all processes. A rule that is changed starts again from zero.')}
${silent.length > 0 && markup`<p class="soft">${silent.length === 1 ? 'One rule' : `${amount(frame.locale, silent.length)} rules`} matched nothing in seven days: ${silent.map(({ number }) => number).join(', ')}.</p>`}
${part('Try a call', tryForm(frame, props), 'Nothing runs and nobody is asked. Permissions that people gave are not looked at.')}
${props.mayReplay && part('Replay a draft', replayForm(frame, props), 'What another policy would have decided on the latest calls in the audit.')}`,
  })
}

function ruleTable({ locale }: Frame, rules: readonly RuleRow[]): Markup {
  const rows = rules.map(({ number, decide, pack, words, hits }) => [
    number === undefined
      ? 'No rule matches'
      : markup`Rule ${number}${pack !== undefined && markup` <span class="soft">of ${visible(pack)}</span>`}`,
    effectWords[decide],
    words.length === 0 && number !== undefined
      ? 'Every call'
      : markup`${words.map(([name, text]) => markup`<p><span class="soft">${name}</span> ${visible(text, 400)}</p>`)}`,
    ...['ran', 'asked', 'refused'].map((outcome) => amount(locale, hits[outcome] ?? 0)),
  ])
  return table('Rules', ['Rule', 'Decides', 'About', 'Let run', 'Asked', 'Refused'], rows)
}

function tryForm(frame: Frame, { tried, result }: PolicyPageProps): Markup {
  const field = (name: keyof TriedCall, label: string, hint?: string) =>
    markup`<div class="field"><label for="try-${name}">${label}</label>${hint && markup`<p class="hint" id="try-${name}-hint">${hint}</p>`}<input id="try-${name}" name="${name}" value="${tried?.[name] ?? ''}" autocomplete="off"${hint && markup` aria-describedby="try-${name}-hint"`}><p class="problem" id="try-${name}-problem" hidden><span></span></p></div>`
  return markup`<form method="post" action="/console/policy/try" class="close">${csrfField(frame)}
<div class="fields">${field('server', 'Server')}${field('tool', 'Tool')}${field('person', 'Person', 'Such as ada@https://login.example.com. Left out: the local person.')}${field('client', 'Client')}${field('groups', 'Groups', 'Separated by commas.')}</div>
<div class="field"><label for="try-arguments">Arguments</label><p class="hint" id="try-arguments-hint">As one JSON object. Left out: none.</p><textarea id="try-arguments" name="arguments" aria-describedby="try-arguments-hint" spellcheck="false">${tried?.arguments ?? ''}</textarea><p class="problem" id="try-arguments-problem" hidden><span></span></p></div>
<p><button>Try it</button></p></form>${result !== undefined && tryResult(result)}`
}

const verdicts: Readonly<Record<Effect, string>> = {
  allow: 'The call would run without a question.',
  ask: 'A person would be asked.',
  deny: 'The call would be denied.',
}

function tryResult(result: NonNullable<PolicyPageProps['result']>): Markup {
  if ('problem' in result) return problemBox(result.problem)
  const { decision, rules } = result
  const rows = rules.map(({ rule, decide, decided, words }) => [
    markup`${decided ? markup`<strong>Rule ${rule}</strong>` : `Rule ${rule}`}`,
    effectWords[decide],
    visible(words, 2_000),
  ])
  return markup`<div role="status"><p><strong>${verdicts[decision.decide]}</strong> ${visible(decision.why.words, 2_000)}</p>${decision.decide === 'ask' && markup`<p>Who may answer: ${visible(decision.approvers.join(', '), 1_000)}</p>`}</div>
${rows.length > 0 && table('Each rule and this call', ['Rule', 'Decides', 'Why'], rows)}`
}

const outcomeWords: Readonly<Record<ReplayOutcome, string>> = {
  allow: 'Allowed',
  ask: 'Asked about',
  deny: 'Denied',
  unknown: 'Cannot tell',
}

function replayForm(frame: Frame, { draft = '', replayed }: PolicyPageProps): Markup {
  return markup`<form method="post" action="/console/policy/replay" class="close">${csrfField(frame)}
<div class="field"><label for="draft">Draft</label><p class="hint" id="draft-hint">A policy as in assent.yaml: <code>rules:</code>, and what else it says.</p><textarea id="draft" name="draft" rows="8" class="code" aria-describedby="draft-hint" spellcheck="false">${draft}</textarea><p class="problem" id="draft-problem" hidden><span></span></p></div>
<p><button>Replay it</button></p></form>${replayed !== undefined && replayResult(frame, replayed)}`
}

function replayResult(frame: Frame, replayed: NonNullable<PolicyPageProps['replayed']>): Markup {
  if ('problem' in replayed) return problemBox(replayed.problem)
  const { calls, oldest, counts, changes } = replayed
  if (oldest === undefined) return nothing('The audit has no calls to replay.')
  const number = (count: number) => amount(frame.locale, count)
  const rows = replayedEffects.map((was) => [
    outcomeWords[was],
    ...replayOutcomes.map((now) => number(counts[was][now])),
  ])
  const changed = changes
    .slice(0, mostChanges)
    .map(({ server, tool, was, now, calls: count }) => [
      markup`<code>${visible(tool, 200)}</code> <span class="soft">on ${visible(server)}</span>`,
      outcomeWords[was],
      outcomeWords[now],
      number(count),
    ])
  return markup`<p role="status">${number(calls)} ${calls === 1 ? 'call' : 'calls'} since ${moment(frame, oldest)}.</p>
${table('What the draft would have decided', ['Was', ...replayOutcomes.map((now) => outcomeWords[now])], rows)}
${changed.length === 0 ? nothing('Nothing would have been decided differently.') : table('What changes', ['Tool', 'Was', 'Would be', 'Calls'], changed)}
${changes.length > mostChanges && markup`<p class="soft">And ${number(changes.length - mostChanges)} more; <code>assent policy replay --json</code> has all of them.</p>`}`
}

function problemBox(problem: string): Markup {
  return markup`<div class="errors" role="alert">${icons.lost}<p class="value">${visible(problem, 2_000)}</p></div>`
}

function sumOf(hits: OutcomeCounts): number {
  return Object.values(hits).reduce((sum, count) => sum + count, 0)
}
