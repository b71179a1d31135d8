import type { Events } from '../base/events.ts'
import { labelValues } from './label-values.ts'
import { Numbers } from './series.ts'

/** A hub, as far as it is counted. */
export interface CountedHub {
  readonly events: Events<
    | { readonly kind: 'hub-delivered'; readonly space: string; readonly count: number }
    | { readonly kind: 'hub-refused'; readonly space: string; readonly code: string }
    | { readonly kind: 'hub-joined' | 'hub-left' | 'hub-failed' }
  >
  status(): readonly {
    readonly space: string
    readonly here: readonly string[]
    readonly open: number
    readonly held: number
  }[]
}

/** Counts what happens in the spaces of a hub. The names of spaces come from the settings. */
export function countHub({ events, status }: CountedHub): { text(): string[] } {
  const labels = ['space']
  const gauge = (name: string, help: string) => new Numbers('gauge', { name, help, labels })
  const participants = gauge('assent_hub_participants', 'Participants that are in a space now.')
  const open = gauge('assent_hub_requests_open', 'Requests in a space that nobody has answered yet.')
  const held = gauge('assent_hub_requests_waiting', 'Calls in a space that wait for a person.')
  const delivered = new Numbers('counter', {
    name: 'assent_hub_envelopes_delivered_total',
    help: 'Envelopes handed to participants, counted once for each who got one.',
    labels,
  })
  const refused = new Numbers('counter', {
    name: 'assent_hub_refused_total',
    help: 'Envelopes that were not passed on, and people and programs that were not let in, by reason.',
    labels: ['space', 'reason'],
  })
  const reason = labelValues(undefined)
  events.listen((news) => {
    if (news.kind === 'hub-delivered') delivered.grow(news.count, news.space)
    if (news.kind === 'hub-refused') refused.add(news.space, reason(news.code))
  })
  return {
    text() {
      for (const one of status()) {
        participants.set(one.here.length, one.space)
        open.set(one.open, one.space)
        held.set(one.held, one.space)
      }
      return [participants, open, held, delivered, refused].map((series) => series.text())
    },
  }
}
