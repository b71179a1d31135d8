import { knownClients } from '../../mcp/known-clients.ts'
import type { Quirk } from '../../mcp/quirks.ts'
import type { Config } from '../config/config.ts'
import { type Finding, good } from './finding.ts'

/** Lists the clients that are asked in a way of their own, and how. */
export function listClients({ clients }: Config): Finding[] {
  const known = new Map<string, string[]>()
  for (const quirk of [...knownClients, ...clients]) {
    known.set(quirk.name, [...(known.get(quirk.name) ?? []), wordsFor(quirk)])
  }
  return [...known].map(([name, words]) => good('client', `${name}: ${words.join('; ')}`))
}

function wordsFor(quirk: Quirk): string {
  const { lacks = [], adds = [], unseenWithin, messageLines, choiceOnly, wantsElicitationId, urlBy } = quirk
  const traits = [
    ...(lacks.length > 0 ? [`not asked by ${lacks.join(' or ')}`] : []),
    ...(adds.length > 0 ? [`asked by ${adds.join(' and ')} though it does not declare it`] : []),
    ...(unseenWithin === undefined ? [] : [`answers to approvals within ${spelled(unseenWithin)} count for nothing`]),
    ...(messageLines === undefined ? [] : [`approvals of more than ${messageLines} lines are asked on a page`]),
    ...(choiceOnly ? ['approvals are edited on a page'] : []),
    ...(wantsElicitationId ? ['pages are asked for with an elicitationId'] : []),
    ...(urlBy === undefined ? [] : [urlBy === 'push' ? 'pages by a request' : 'pages by the error -32042']),
  ]
  return `${traits.join(', ')}${conditionOf(quirk)}`
}

const spelled = (duration: string | number) => (typeof duration === 'number' ? `${duration}ms` : duration)

function conditionOf({ since, until, userAgent, meta, env }: Quirk): string {
  const conditions = [
    ...(since === undefined ? [] : [`from version ${since} on`]),
    ...(until === undefined ? [] : [`before version ${until}`]),
    ...(userAgent === undefined ? [] : [`if its User-Agent contains "${userAgent}"`]),
    ...(meta === undefined ? [] : [`if _meta["${meta.key}"] contains ${meta.contains}`]),
    ...(env === undefined ? [] : [`if ${env.name} is ${env.value}`]),
  ]
  return conditions.length === 0 ? '' : ` (${conditions.join(', ')})`
}
