import { UriTemplate } from '@modelcontextprotocol/server'
import type { Ways } from '../context.ts'
import type { Behind } from '../options.ts'
import type { Visitor } from '../upstream/upstream.ts'
import type { ListKind, ListReply } from './catalog.ts'
import { joinedName, mayBeCut, serverOf } from './names.ts'

/** An upstream, and what it calls the thing itself. */
export interface Found {
  readonly behind: Behind
  readonly name: string
}

/** One address of the gateway: all upstreams joined, or one as it is. */
export interface Scope {
  readonly joined: boolean
  readonly behind: readonly Behind[]
}

/** Whose tool or prompt a name is. A name that was cut is looked for in the lists. */
export async function findNamed(
  ways: Ways,
  { joined, behind }: Scope,
  kind: 'tools' | 'prompts',
  name: string,
  visitor: Visitor,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const [only] = behind
  if (!joined) return only && { behind: only, name }
  const owner = behind.find(({ id }) => id === serverOf(name))
  if (owner === undefined) return undefined
  const plain = name.slice(owner.id.length + 2)
  if (!mayBeCut(name)) return { behind: owner, name: plain }
  const mine = (await ways.visitorOf(owner, visitor)) ?? visitor
  const listed = await ways.catalog.list(owner, kind, mine, signal)
  const item =
    listed.kind === 'listed' ? listed.items.find((one) => joinedName(owner.id, String(one.name)) === name) : undefined
  return { behind: owner, name: item === undefined ? plain : String(item.name) }
}

/** Whose resource a uri is: the first, in the order of the config, that lists it or has a template for it. */
export async function findResource(
  ways: Ways,
  { joined, behind }: Scope,
  uri: string,
  visitor: Visitor,
  signal: AbortSignal,
): Promise<Behind | undefined> {
  if (!joined || behind.length === 1) return behind[0]
  const lists = (kind: ListKind) => Promise.all(behind.map((one) => patientList(ways, one, kind, visitor, signal)))
  const [resources, templates] = await Promise.all([lists('resources'), lists('resourceTemplates')])
  const at = resources.findIndex((list) => list.kind === 'listed' && list.items.some((item) => item.uri === uri))
  if (at >= 0) return behind[at]
  const matching = templates.findIndex(
    (list) => list.kind === 'listed' && list.items.some((item) => matches(String(item.uriTemplate), uri)),
  )
  return behind[matching]
}

/** How long one of many upstreams is waited for, in milliseconds. */
export const patienceMs = 3_000

/** The list of one of many upstreams: one that is slow is not waited for long, for the others' sake. */
async function patientList(
  ways: Ways,
  behind: Behind,
  kind: ListKind,
  visitor: Visitor,
  signal: AbortSignal,
): Promise<ListReply> {
  const mine = (await ways.visitorOf(behind, visitor)) ?? visitor
  return ways.catalog.list(behind, kind, mine, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]))
}

function matches(template: string, uri: string): boolean {
  try {
    return template === uri || new UriTemplate(template).match(uri) !== null
  } catch {
    return false
  }
}
