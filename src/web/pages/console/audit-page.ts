import { auditKinds } from '../../../audit/kinds.ts'
import type { AuditCheckState } from '../../console/audit-check.ts'
import { csrfField } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount, moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible } from '../question/quote.ts'
import { consoleDocument, nothing, part } from './console-frame.ts'
import { type EventRow, eventsTable } from './events-table.ts'

export interface AuditSearchProps {
  readonly rows: readonly EventRow[]
  readonly searched: number
  readonly kind: string
  readonly person: string
  readonly text: string
  /** Where the search goes on, if there is anything older. */
  readonly older?: string
  readonly check: AuditCheckState
}

const mostFindings = 20

/** A search in the audit, its export, and whether it verifies. */
export function consoleAuditPage(frame: Frame, props: AuditSearchProps): string {
  const { rows, searched, older, check } = props
  const count = amount(frame.locale, searched)
  return consoleDocument(frame, {
    title: 'Audit',
    lead: 'Everything that was asked, answered and run, by all processes.',
    ...(check.kind === 'running' && { live: 'timer' as const }),
    body: markup`${part('Find events', filters(props))}
${part('Events', rows.length === 0 ? nothing(`None of the ${count} events that were looked at fits.`) : eventsTable(frame, 'Events', rows), `${amount(frame.locale, rows.length)} of ${count} events that were looked at, newest first.`)}
${older !== undefined && markup`<p><a class="button" href="${older}">Look further back</a></p>`}
<div class="pair">${part('Is it whole?', verification(frame, check))}${part('Export', exportForm(frame), 'Every event as a line of JSON, and last the heads of all chains. Kept elsewhere, it shows any later cut.')}</div>`,
  })
}

function filters({ kind, person, text }: AuditSearchProps): Markup {
  const kinds = Object.keys(auditKinds)
  const input = (name: string, label: string, value: string, hint: string) =>
    markup`<div class="field"><label for="${name}">${label}</label><p class="hint" id="${name}-hint">${hint}</p><input id="${name}" name="${name}" value="${value}" autocomplete="off" aria-describedby="${name}-hint"><p class="problem" id="${name}-problem" hidden><span></span></p></div>`
  return markup`<form action="/console/audit" class="close"><div class="fields">
<div class="field"><label for="kind">Kind</label><p class="hint">Of event.</p><select id="kind" name="kind"><option value="">Every kind</option>${kinds.map((one) => markup`<option${one === kind && ' selected'}>${one}</option>`)}</select><p class="problem" id="kind-problem" hidden><span></span></p></div>
${input('text', 'Text', text, 'In its facts, such as a server, a tool or an id.')}${input('person', 'Person', person, 'Such as ada@https://login.example.com.')}</div>
<p><button>Search</button></p></form>`
}

function verification(frame: Frame, check: AuditCheckState): Markup {
  const number = (count: number) => amount(frame.locale, count)
  const again = markup`<form method="post" action="/console/audit/verify">${csrfField(frame)}<button>${check.kind === 'none' ? 'Check that nothing was changed' : 'Check again'}</button></form>`
  switch (check.kind) {
    case 'none':
      return markup`<p class="soft">Reads the whole audit, in the background.</p>${again}`
    case 'running': {
      const { checked, of } = check
      return markup`<label for="progress">Checked ${number(checked)} of about ${number(of)} events</label><progress id="progress" max="${Math.max(1, of)}" value="${checked}"></progress><p><a class="button" href="/console/audit">Load again</a></p>`
    }
    case 'failed':
      return markup`<div class="errors">${icons.lost}<p>The audit could not be read, ${moment(frame, check.at)}. The log says why.</p></div>${again}`
    case 'done': {
      const { events, chains, found, findings } = check.report
      const what = `${number(events)} events in ${number(chains)} ${chains === 1 ? 'chain' : 'chains'}`
      if (found === 0)
        return markup`<p class="verdict good">${icons.done}<span>The record is whole: ${what}, checked ${moment(frame, check.at)}.</span></p>${again}`
      return markup`<div class="errors">${icons.lost}<div><p>The record was tampered with, in ${number(found)} ${found === 1 ? 'place' : 'places'} (${what}, checked ${moment(frame, check.at)}).</p><ul>${findings.slice(0, mostFindings).map(({ chain, seq, message }) => markup`<li>Event ${number(seq)} of chain ${chain.slice(0, 8)}: ${visible(message, 300)}</li>`)}</ul></div></div>${again}`
    }
  }
}

function exportForm(frame: Frame): Markup {
  return markup`<form method="post" action="/console/audit/export" data-again>${csrfField(frame)}<button>Export everything</button></form>`
}
