import { joinSpace } from 'assent/hub'

/** An agent that calls the tool of another one, and tells what became of it. */
const space = await joinSpace({
  url: process.env.SPACE ?? 'ws://127.0.0.1:4180/hub/ops',
  token: process.env.AGENT_A_TOKEN ?? '',
})
const { content, _meta } = await space.call(
  'agent-b',
  'deploy',
  { target: 'production' },
  { onPending: ({ message, link }) => console.log(`${message} ${link}`) },
)
for (const part of content) if (part.type === 'text') console.log(part.text)

const approval = _meta?.['assent/approval'] as Approval | undefined
if (approval !== undefined) console.log(`Approved by ${approval.approvedBy}, in the ${approval.via}.`)
for (const { name, before, after } of approval?.changes ?? []) console.log(`Changed ${name}: ${before} → ${after}`)
await space.close()

/** What the caller is told of the yes. */
interface Approval {
  readonly approvedBy: string
  readonly via: string
  readonly reason?: string
  readonly changes?: readonly { readonly name: string; readonly before?: unknown; readonly after: unknown }[]
}
