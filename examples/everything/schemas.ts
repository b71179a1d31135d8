import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { say } from './say.ts'

/** Tools whose arguments are described by JSON Schema itself, for what a schema library would leave out. */
export function addSchemas(server: McpServer): void {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema<Person>(person) },
    ({ name }) => say(`Hello, ${name ?? 'you'}!`),
  )

  // A 2026 client repeats this argument in the header Mcp-Param-Region, where a proxy can read it.
  server.registerTool(
    'test_custom_header',
    { description: 'Runs in a region', inputSchema: fromJsonSchema<{ region?: string }>(placed) },
    ({ region }) => say(`Ran in ${region ?? 'no region at all'}`),
  )
}

interface Person {
  name?: string
}

const person = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word; nobody awaits a schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const placed = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
}
