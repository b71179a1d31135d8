import type { Events } from '../base/events.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import type { GatewayNews } from '../call/news.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { Log } from './log.ts'
import { actionOutcome, waitedMs } from './outcome.ts'

/**
 * Logs what happens to questions. No line names a person, or says what was asked: a person's data cannot be deleted from
 * logs, and the audit has all of it.
 */
export function logAsks(log: Log, events: Events<ElicitationNews>): () => void {
  return events.listen((news) => {
    switch (news.kind) {
      case 'asked':
        return log.info(factsOf(news.elicitation), 'asked')
      case 'joined':
        return log.debug(factsOf(news.elicitation), 'asked again')
      case 'settled': {
        const { createdAt, state } = news.elicitation
        const via = state.kind === 'answered' ? { via: state.by.via } : {}
        const end = { outcome: news.outcome, waitedMs: waitedMs(createdAt, state), ...via }
        return log.info({ ...factsOf(news.elicitation), ...end }, 'settled')
      }
      case 'carried-asked':
        return log.info({ server: visibleLine(news.server, 60), mode: news.mode, purpose: news.purpose }, 'asked')
      case 'carried-answered': {
        const { mode, purpose, waitedMs } = news
        const end = { outcome: actionOutcome(news.action), via: 'client', ...(waitedMs !== undefined && { waitedMs }) }
        return log.info({ server: visibleLine(news.server, 60), mode, purpose, ...end }, 'settled')
      }
      case 'fallback':
        return log.warn({ server: news.server, reason: news.reason }, 'a client could not be asked')
      case 'answer-refused':
        return log.warn({ ...factsOf(news.elicitation), reason: news.reason }, 'an answer was refused')
      case 'channel-failed': {
        const { channel, error } = news
        return log.warn({ ...factsOf(news.elicitation), channel, err: error }, 'a channel failed')
      }
      case 'tidy-failed':
        return log.error({ err: news.error }, 'tidying failed')
      case 'clock-wrong':
        return log.error({ problem: news.problem }, 'the clock is wrong')
      case 'counts-unwritten':
        return log.error(
          { err: news.error },
          'what was counted for the console is not written yet, and will be tried again',
        )
      case 'end-unrecorded':
        return log.error({ err: news.error }, 'the end of a call is not recorded yet, and will be tried again')
    }
  })
}

/** Logs calls, upstreams and negotiations. */
export function logGateway(log: Log, events: Events<GatewayNews>): () => void {
  return events.listen((news) => {
    switch (news.kind) {
      case 'call-ended': {
        const { server, outcome, durationMs, ownMs } = news
        return log.debug({ server, outcome, durationMs, ownMs }, 'a call ended')
      }
      case 'upstream-changed': {
        const { server, state, reason } = news
        if (state === 'up') return log.info({ server }, 'an upstream is up')
        return log.warn({ server, ...(reason !== undefined && { reason: visibleLine(reason) }) }, 'an upstream is down')
      }
      case 'server-missing': {
        const { server, waitedMs, reason } = news
        const why = reason === undefined ? {} : { reason: visibleLine(reason) }
        return log.warn({ server, waitedMs, ...why }, 'a server did not answer in time and is left out of the list')
      }
      case 'server-found':
        return log.info(
          { server: news.server },
          'a server that was left out of a list is there, and clients are notified',
        )
      case 'items-left-out': {
        const { server, list, count, items } = news
        if (count === 0) return log.info({ server, list }, 'nothing is left out of a list any more')
        return log.warn({ server, list, count, items }, 'items of a list cannot be used and are left out')
      }
      case 'negotiated': {
        const { side, server, name, version, revision, capabilities } = news
        const names = [name, version].flatMap((text) => (text === undefined ? [] : [visibleLine(text, 60)])).join(' ')
        const keys = capabilities.slice(0, 20).map((key) => visibleLine(key, 60))
        return log.info({ side, server, names, revision: visibleLine(revision, 30), capabilities: keys }, 'negotiated')
      }
    }
  })
}

function factsOf({ id, origin, question, purpose }: Elicitation) {
  return { elicitation: id, server: visibleLine(origin.server, 60), mode: question.mode, purpose }
}
