import type { Events } from '../base/events.ts'
import { endByAction } from '../elicitation/answering/may-answer.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { nowMs, type Span } from './span.ts'

/** Questions whose end is waited for. The oldest is dropped: it was settled by another instance, or never. */
const mostOpen = 10_000
const mostOfOne = 16

/** Makes a span of each question that a call asks, from asking until it is settled here. */
export function followAsks(events: Events<ElicitationNews>, current: () => Span | undefined): () => void {
  const open = new Map<ElicitationId, Span[]>()

  function asked(id: ElicitationId, span: Span): void {
    const spans = open.get(id) ?? []
    if (spans.length < mostOfOne) spans.push(span)
    open.set(id, spans)
    const [oldest] = open.keys()
    if (open.size > mostOpen && oldest !== undefined) open.delete(oldest)
  }

  return events.listen((news) => {
    switch (news.kind) {
      case 'asked':
      case 'joined': {
        const { id, origin, question, purpose } = news.elicitation
        const span = current()?.child({ name: 'ask', attributes: factsOf(origin.server, question.mode, purpose) })
        if (span === undefined) return
        span.set('assent.question', id)
        return asked(id, span)
      }
      case 'settled': {
        const { id, state } = news.elicitation
        for (const span of open.get(id) ?? []) {
          span.set('assent.outcome', news.outcome)
          if (state.kind === 'answered') span.set('assent.via', state.by.via)
          span.end()
        }
        open.delete(id)
        return
      }
      case 'carried-answered': {
        const { server, mode, purpose, action, waitedMs = 0 } = news
        const attributes = {
          ...factsOf(server, mode, purpose),
          'assent.outcome': endByAction(action),
          'assent.via': 'client',
        }
        return current()
          ?.child({ name: 'ask', attributes, startMs: nowMs() - waitedMs })
          .end()
      }
    }
  })
}

function factsOf(server: string, mode: string, purpose: string) {
  return { 'assent.server': server, 'assent.mode': mode, 'assent.purpose': purpose }
}
