import { expect, test } from 'vitest'
import { z } from 'zod'
import { envelope, request, startHub } from '../support/hub/hub.ts'

// The three messages of the design that the hub grew from, as it writes them.
const asking = {
  protocol: 'mcp-x/v0',
  id: 'msg-456',
  ts: '2024-01-01T12:00:00Z',
  from: 'agent-b',
  to: ['user-1'],
  kind: 'mcp',
  payload: {
    jsonrpc: '2.0',
    id: 'elicit-123',
    method: 'elicitation/create',
    params: {
      message: "Agent A requests permission to execute 'dangerous_operation'",
      requestedSchema: {
        type: 'object',
        properties: {
          approve: {
            type: 'boolean',
            title: 'Approve this tool call?',
            description: "Tool: dangerous_operation\nCaller: agent-a\nArguments: {target: 'production'}",
          },
          reason: { type: 'string', title: 'Reason (optional)', description: 'Provide a reason for your decision' },
        },
        required: ['approve'],
      },
      metadata: {
        elicitationType: 'tool_approval',
        originalRequest: {
          from: 'agent-a',
          tool: 'dangerous_operation',
          arguments: { target: 'production' },
          requestId: 'original-req-123',
        },
      },
    },
  },
}

const answering = {
  protocol: 'mcp-x/v0',
  id: 'msg-457',
  ts: '2024-01-01T12:00:30Z',
  from: 'user-1',
  to: ['agent-b'],
  kind: 'mcp',
  payload: {
    jsonrpc: '2.0',
    id: 'elicit-123',
    result: { action: 'accept', content: { approve: true, reason: 'Approved for scheduled maintenance' } },
  },
}

const replying = {
  protocol: 'mcp-x/v0',
  id: 'msg-458',
  ts: '2024-01-01T12:00:31Z',
  from: 'agent-b',
  to: ['agent-a'],
  kind: 'mcp',
  payload: {
    jsonrpc: '2.0',
    id: 'original-req-123',
    result: { content: [{ type: 'text', text: 'Operation completed (approved by user-1)' }] },
  },
}

test('the three messages pass field for field between two agents and a user', async () => {
  const { raw } = await startHub()
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  const call = envelope(
    'agent-a',
    ['agent-b'],
    request('original-req-123', 'tools/call', { name: 'dangerous_operation', arguments: { target: 'production' } }),
  )
  a.send(call)
  expect(await b.hears(({ id }) => id === call.id)).toEqual(call)

  b.send(asking)
  expect(await user.hears(({ id }) => id === 'msg-456')).toEqual(asking)
  user.send(answering)
  expect(await b.hears(({ id }) => id === 'msg-457')).toEqual(answering)
  b.send(replying)
  expect(await a.hears(({ id }) => id === 'msg-458')).toEqual(replying)
})

test('an agent that asks by itself writes the same question, and its caller hears under its own request id', async () => {
  const { join, raw } = await startHub()
  const [b, a, user] = [await join('agent-b'), await raw('agent-a'), await raw('user-1')]
  const ran: unknown[] = []
  await b.serveTools(
    {
      dangerous_operation: {
        inputSchema: z.object({ target: z.string() }),
        run: (args: { target: string }) => {
          ran.push(args)
          return 'Operation completed (approved by user-1)'
        },
      },
    } as never,
    { policy: { rules: [{ tool: 'dangerous_operation', decide: 'ask', approvers: 'user-1' }] } },
  )
  a.send(
    envelope(
      'agent-a',
      ['agent-b'],
      request('original-req-123', 'tools/call', { name: 'dangerous_operation', arguments: { target: 'production' } }),
    ),
  )
  const question = await user.hears(({ payload }) => payload.method === 'elicitation/create')
  const { params } = question.payload
  expect(params.requestedSchema.properties.approve.title).toBe('Approve this tool call?')
  expect(params.requestedSchema.required).toEqual(['approve'])
  expect(params.metadata).toMatchObject(asking.payload.params.metadata)
  expect(ran).toEqual([])

  const result = { action: 'accept', content: { approve: true, reason: 'Approved for scheduled maintenance' } }
  user.send(envelope('user-1', ['agent-b'], { jsonrpc: '2.0', id: question.payload.id, result }))
  const reply = await a.hears(({ payload }) => payload.id === 'original-req-123')
  expect(reply.from).toBe('agent-b')
  expect(reply.payload.result.content[0]).toEqual({ type: 'text', text: 'Operation completed (approved by user-1)' })
  expect(ran).toEqual([{ target: 'production' }])
})

test('the hub asks for an agent that knows nothing of Assent, and delivers the call only after the yes', async () => {
  const { join, raw } = await startHub({
    participants: {
      'user-1': { kind: 'human', token: 'u', participant: 'local' as never },
      'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['tools/call'] },
      'agent-b': { kind: 'agent', token: 'b' },
    },
    assent: { policy: { rules: [{ tool: 'deploy', decide: 'ask', editable: ['target'] }] } },
  })
  const [b, a, user] = [await raw('agent-b'), await join('agent-a'), await raw('user-1')]
  const pending: unknown[] = []
  const called = a.call('agent-b', 'deploy', { target: 'production' }, { onPending: (notice) => pending.push(notice) })
  const listing = await b.hears(({ payload }) => payload.method === 'tools/list')
  const tools = [
    {
      name: 'deploy',
      inputSchema: { type: 'object', properties: { target: { type: 'string', enum: ['production', 'staging'] } } },
    },
  ]
  b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: listing.payload.id, result: { tools } }))

  const question = await user.hears(({ payload }) => payload.method === 'elicitation/create')
  expect(question.payload.params.metadata.originalRequest).toMatchObject({ from: 'agent-a', tool: 'deploy' })
  expect(b.heard.some(({ payload }) => payload.method === 'tools/call')).toBe(false)
  const content = { approve: true, reason: 'not today', edit_target: 'staging' }
  user.send(
    envelope('user-1', ['assent'], { jsonrpc: '2.0', id: question.payload.id, result: { action: 'accept', content } }),
  )

  const run = await b.hears(({ payload }) => payload.method === 'tools/call')
  expect(run).toMatchObject({
    from: 'agent-a',
    payload: { params: { name: 'deploy', arguments: { target: 'staging' } } },
  })
  const result = { content: [{ type: 'text', text: 'done' }] }
  b.send(envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', id: run.payload.id, result }))
  const { content: told, _meta } = await called
  expect(told[0]).toEqual({ type: 'text', text: 'done' })
  expect(_meta?.['assent/approval']).toMatchObject({
    approvedBy: 'local',
    via: 'hub',
    reason: 'not today',
    changes: [{ name: 'target', before: 'production', after: 'staging' }],
  })
  expect(pending).toHaveLength(1)
})
