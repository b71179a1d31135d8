import type { AuditEvent, SpelledEvent } from '../../audit/event.ts'
import type { JsonObject } from '../../base/json.ts'
import type { TelemetryOptions } from '../options.ts'
import { keyValues, nanoseconds, resourceOf } from './values.ts'

export type RecordedEvent = AuditEvent | SpelledEvent

const severityInfo = 9

/** Events of the audit as the body of a request to `/v1/logs`. What a rule had kept in full stays in the audit. */
export function logsBody(options: TelemetryOptions, events: readonly RecordedEvent[]): object {
  const scope = { name: 'assent.audit', version: options.serviceVersion }
  return { resourceLogs: [{ resource: resourceOf(options), scopeLogs: [{ scope, logRecords: events.map(written) }] }] }
}

function written(event: RecordedEvent): object {
  const { chain, seq, at, kind, who, about, mac } = event
  const data = 'data' in event ? event.data : (JSON.parse(event.spelled) as JsonObject)
  const facts = Object.fromEntries(Object.entries(data).map(([name, value]) => [`assent.${name}`, value]))
  const time = nanoseconds(at.getTime())
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: severityInfo,
    severityText: 'INFO',
    eventName: `assent.${kind}`,
    body: { stringValue: kind },
    attributes: keyValues({
      ...facts,
      'assent.audit.chain': chain,
      'assent.audit.seq': seq,
      'assent.audit.mac': mac,
      'assent.audit.who': who,
      'assent.audit.about': about,
    }),
  }
}
