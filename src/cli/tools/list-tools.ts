import type { Command } from 'commander'
import { decide } from '../../approval/policy/decide.ts'
import type { Policy } from '../../approval/policy/policy.ts'
import { toolFacts } from '../../approval/tool-call.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { correctAnnotations } from '../../gateway/catalog/correct-annotations.ts'
import { localRequester } from '../../participant/requester.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { print } from '../print.ts'
import { momentText, tableLines } from '../show-table.ts'
import { withAssent } from '../with-assent.ts'
import { type ReadServer, type ReadTool, readTools } from './read-tools.ts'

interface ListOptions {
  readonly held?: true
  readonly json?: true
}

/** Lists the tools of servers: what the policy says to a call without arguments, what is held back, what changed when. */
export async function listTools(
  command: Command,
  only: string | undefined,
  { held, json }: ListOptions,
): Promise<void> {
  const { servers, policy } = await withAssent(command, async (assent, config) => ({
    servers: await readTools(assent, config, only),
    policy: assent.approvals.policy,
  }))
  const shown = servers.map((one) => ({ ...one, tools: one.tools.filter((tool) => !held || tool.held !== undefined) }))
  if (json) return print(JSON.stringify(shown.map((one) => jsonOf(one, policy))))
  if (shown.length === 0) return print('The settings name no server.')
  for (const one of shown) show(one, policy)
}

function show({ server, tools, problem }: ReadServer, policy: Policy): void {
  print(`${server.id}${server.isPinned === true ? '  (pinned)' : ''}`)
  if (problem !== undefined) print(`  ${visibleLine(problem, 400)}`)
  if (tools.length === 0) {
    print('  No tools.')
    return
  }
  const rows = tools.map((tool) => {
    const { known, isOffered } = tool
    const changed = known.changes === 0 ? 'never' : `${known.changes}×, ${momentText(known.seen.at)}`
    const state = tool.held === undefined ? (isOffered === false ? 'gone' : 'offered') : `held back: ${tool.held}`
    return [
      `  ${visibleLine(known.tool, 60)}`,
      sayOf(server, tool, policy),
      state,
      momentText(known.firstSeen),
      changed,
    ]
  })
  for (const line of tableLines(['  tool', 'policy', 'state', 'first seen', 'changed'], rows)) print(line)
  if (tools.some(({ held }) => held !== undefined))
    print(`  Look at them and allow them: assent tools allow ${server.id}`)
}

/** What the policy says to a call without arguments. Rules that look at arguments may say something else. */
function sayOf(server: ServerConfig, tool: ReadTool, policy: Policy): string {
  const { decide: effect, why } = decisionOn(server, tool, policy)
  return why.rule === undefined ? `${effect} (default)` : `${effect} (rule ${why.rule})`
}

function decisionOn({ id, trusted, annotations }: ServerConfig, { known }: ReadTool, policy: Policy) {
  const item = JSON.parse(known.seen.definition)
  const tool = correctAnnotations({ item, facts: toolFacts(item, '') }, annotations?.[known.tool], trusted)
  const call = { requester: localRequester, server: id, tool: known.tool, arguments: {}, trusted, ...tool.facts }
  return decide(policy, call)
}

function jsonOf({ server, tools, problem }: ReadServer, policy: Policy) {
  return {
    server: server.id,
    pinned: server.isPinned === true,
    ...(problem !== undefined && { problem }),
    tools: tools.map((tool) => {
      const { known, held, isOffered } = tool
      const { decide: effect, why } = decisionOn(server, tool, policy)
      return {
        tool: known.tool,
        policy: { decide: effect, ...(why.rule !== undefined && { rule: why.rule }) },
        ...(held !== undefined && { held }),
        ...(isOffered !== undefined && { offered: isOffered }),
        firstSeen: known.firstSeen,
        changes: known.changes,
        seen: { ...known.seen, definition: JSON.parse(known.seen.definition) },
        ...(known.allowed && { allowed: { ...known.allowed, definition: JSON.parse(known.allowed.definition) } }),
      }
    }),
  }
}
