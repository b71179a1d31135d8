import { behindText, clientText, nameText } from '../../base/text/names.ts'
import { localParticipant } from '../../participant/participant.ts'
import { agentsBehind, namedClient } from '../../participant/requester.ts'
import type { Grant } from './grant.ts'
import { whereWords } from './where/where.ts'

/** How to say a grant: to whom, and when. */
export interface SentenceOptions {
  readonly now: Date
  /** Of dates; the words are English. */
  readonly locale?: string
  readonly timeZone?: string
  /** What people call a client, by its id. */
  readonly clientName?: string
}

/** A grant as one sentence: "Allows Claude Code to run create_issue on github until 5 Jan 2027, 12:00." */
export function grantSentence(grant: Grant, options: SentenceOptions): string {
  const { effect, server, tool, where } = grant
  const verb = effect === 'allow' ? 'Allows' : 'Denies'
  const preposition = effect === 'allow' ? 'to run' : 'from running'
  const what = tool === undefined ? `every tool of ${nameText(server)}` : `${nameText(tool)} on ${nameText(server)}`
  const which = where === undefined ? '' : ` ${whereWords(where, nameText)}`
  return `${verb} ${clientWords(grant, options)} ${preposition} ${what}${which}${lastsWords(grant, options)}.`
}

function clientWords({ participant, client, agents = [] }: Grant, { clientName }: SentenceOptions): string {
  if (client === undefined) return participant === localParticipant ? 'every program on this machine' : 'every client'
  const requester = { participant, client, agents, ...(clientName !== undefined && { clientName }) }
  return clientText(namedClient(requester), 'covered') + behindText(agentsBehind(requester))
}

function lastsWords(grant: Grant, options: SentenceOptions): string {
  const { uses, revoked, expiresAt } = grant
  const say = (moment: Date) => sayMoment(moment, options)
  if (uses.kind === 'once' && uses.spent !== undefined) return `, once, which it did on ${say(uses.spent.at)}`
  const once = uses.kind === 'once' ? ', once' : ''
  if (revoked !== undefined) return `${once}. Revoked on ${say(revoked.at)}`
  if (expiresAt === undefined) return `${once}, until it is revoked`
  return options.now < expiresAt ? `${once}, until ${say(expiresAt)}` : `${once}. Ended on ${say(expiresAt)}`
}

function sayMoment(moment: Date, { locale = 'en-GB', timeZone = 'UTC' }: SentenceOptions): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(moment)
}
