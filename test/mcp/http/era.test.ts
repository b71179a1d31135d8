import { classifyInboundRequest } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eraOf } from '../../../src/mcp/http/serve.ts'

const version = fc.constantFrom(
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2024-11-05',
  '2027-01-01',
  '1999-01-01',
  '',
  7,
)
const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': fc.constantFrom({ name: 'x', version: '1' }, 'x'),
    'io.modelcontextprotocol/clientCapabilities': fc.constantFrom({}, 7),
    progressToken: fc.integer(),
  },
  { requiredKeys: [] },
)
const message = fc.record(
  {
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.integer(), fc.string()),
    method: fc.constantFrom('initialize', 'tools/call', 'ping', 'server/discover', 'notifications/initialized'),
    params: fc.oneof(
      fc.record({ _meta: fc.oneof(meta, meta, fc.constant(7)), protocolVersion: version }, { requiredKeys: [] }),
      fc.constant([]),
    ),
    result: fc.constant({}),
  },
  { requiredKeys: ['jsonrpc'] },
)
const isWellFormed = (body: object) => classifyInboundRequest({ httpMethod: 'POST', body }).kind !== 'reject'

test('a message is served in the era that the SDK gives it, whatever it and its header say (V26-05, H26-17)', () => {
  fc.assert(
    fc.property(fc.oneof(message, fc.array(message)), fc.option(version.map(String)), (body, header) => {
      const ours = eraOf(body, new Headers(header === null ? {} : { 'MCP-Protocol-Version': header }))
      const theirs = classifyInboundRequest({
        httpMethod: 'POST',
        body,
        ...(header !== null && { protocolVersionHeader: header }),
      })
      // What is no message at all may be refused by either era.
      if (isWellFormed(body) || theirs.kind !== 'reject')
        expect(ours).toBe(theirs.kind === 'legacy' ? 'legacy' : 'modern')
    }),
    { numRuns: 2_000 },
  )
})
