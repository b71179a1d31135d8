import { explain, ruleWords } from '../../approval/policy/explain.ts'
import { compare } from '../../approval/replay/compare.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import type { ChainId } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import { argumentProblem } from '../../base/canonical.ts'
import { AssentError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject, parseJson } from '../../base/json.ts'
import { localParticipant, parseParticipantId } from '../../participant/participant.ts'
import { readRuleHits } from '../../rollup/overview.ts'
import { readPost } from '../http/post.ts'
import { type PolicyPageProps, policyPage, type RuleRow, type TriedCall } from '../pages/console/policy-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admitAdmin } from '../viewer/admin.ts'

/** Events of the audit that one replay reads at most, the latest of each chain. */
const mostReplayed = 20_000
const mostChains = 50

/** The policy of this process, and how often each rule decided. */
export async function showRules(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  return viewer instanceof Response ? viewer : page(c, {})
}

/** Shows what the policy says about a call, without anything happening. */
export async function tryCall(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const tried = triedIn(form)
  const { assent, console: sources } = c.var.site
  const call = callFrom(tried, (server) => sources?.isTrusted(server) ?? false)
  const result = 'problem' in call ? call : explain(assent.approvals.policy, call)
  return page(c, { tried, result })
}

/** Shows what a draft would have decided on the latest calls. */
export async function replayDraft(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { assent, console: sources } = c.var.site
  const draft = textOf(form, 'draft')
  if (sources === undefined) return page(c, { draft })
  try {
    const policy = await sources.readDraft(draft)
    const audit = await latestOf(assent.store.audit)
    const replayed = await compare(audit, policy, (server) => sources.isTrusted(server), new Date(0))
    return page(c, { draft, replayed })
  } catch (error) {
    if (!(error instanceof AssentError)) throw error
    return page(c, { draft, replayed: { problem: error.message } })
  }
}

async function page(
  c: WebContext,
  more: Pick<PolicyPageProps, 'tried' | 'result' | 'draft' | 'replayed'>,
): Promise<Response> {
  const { assent, console: sources } = c.var.site
  const { mode, fallback, rules, default: byDefault, defaultDigest } = assent.approvals.policy
  const hits = await readRuleHits(assent.store.rollups, assent.clock.now())
  const rows: RuleRow[] = rules.map(({ number, rule, digest, pack }) => ({
    number,
    decide: rule.decide,
    words: Object.entries(ruleWords(rule)).flatMap(([name, words]) => (words === undefined ? [] : [[name, words]])),
    hits: hits.get(digest) ?? {},
    ...(pack !== undefined && { pack }),
  }))
  const last: RuleRow = { decide: byDefault, words: [], hits: hits.get(defaultDigest) ?? {} }
  const props = { mode, fallback, rules: [...rows, last], mayReplay: sources !== undefined }
  return c.html(policyPage(frameFor(c), { ...props, ...more }))
}

const textOf = (form: FormData, name: string) => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

function triedIn(form: FormData): TriedCall {
  const [server, tool, given, person, client, groups] = [
    'server',
    'tool',
    'arguments',
    'person',
    'client',
    'groups',
  ].map((name) => textOf(form, name).trim()) as [string, string, string, string, string, string]
  return { server, tool, arguments: given, person, client, groups }
}

function callFrom(tried: TriedCall, isTrusted: (server: string) => boolean): ToolCall | { readonly problem: string } {
  const { server, tool, person, client, groups } = tried
  if (server === '' || tool === '') return { problem: 'Name the server and the tool.' }
  const given = objectIn(tried.arguments)
  if (given === undefined) return { problem: 'The arguments must be one JSON object, such as {"path": "/tmp"}.' }
  const problem = argumentProblem(given, 'The arguments')
  if (problem !== undefined) return { problem }
  try {
    const participant = person === '' ? localParticipant : parseParticipantId(person)
    return {
      requester: { participant, client: client === '' ? 'local' : client },
      groups: groups.split(',').flatMap((name) => name.trim() || []),
      server,
      tool,
      arguments: given,
      definition: '',
      trusted: isTrusted(server),
    }
  } catch (error) {
    if (!(error instanceof AssentError)) throw error
    return { problem: error.message }
  }
}

function objectIn(text: string): JsonObject | undefined {
  if (text === '') return {}
  try {
    const value = parseJson(text)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

type Audit = Pick<AuditStore, 'chains' | 'read' | 'findPseudonym'>

/** The latest events of the chains that were written to last, as if there were no others. */
async function latestOf(audit: Audit & Pick<AuditStore, 'heads'>): Promise<Audit> {
  const heads = await audit.heads(mostChains)
  const each = Math.floor(mostReplayed / Math.max(1, heads.length))
  const begins = new Map<ChainId, number>(heads.map(({ chain, seq }) => [chain, Math.max(0, seq - each)]))
  return {
    chains: async () => heads.map(({ chain }) => ({ chain })),
    read: (chain, after, limit) => audit.read(chain, Math.max(after, begins.get(chain) ?? 0), limit),
    findPseudonym: (participant) => audit.findPseudonym(participant),
  }
}
