import type { JsonObject } from '../../base/json.ts'

const text = { type: 'string' }
const moment = { type: 'string', format: 'date-time' }
const reply = (description: string, schema?: JsonObject): JsonObject => ({
  description,
  ...(schema && { content: { 'application/json': { schema } } }),
})
const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
const errors = (...codes: readonly [string, string][]): JsonObject =>
  Object.fromEntries(codes.map(([code, words]) => [code, reply(words, reference('Error'))]))

const always: [string, string][] = [
  ['401', 'The token is missing, unknown, revoked or over.'],
  ['429', 'Too many requests; Retry-After says for how long.'],
]

const item = {
  type: 'object',
  required: ['id', 'purpose', 'server', 'client', 'priority', 'status', 'createdAt', 'expiresAt', 'link', 'mayAnswer'],
  properties: {
    id: text,
    purpose: { type: 'string', enum: ['approval', 'input', 'secret', 'confirm', 'connect'] },
    server: text,
    client: text,
    tool: text,
    priority: { type: 'string', enum: ['low', 'normal', 'high', 'urgent'] },
    status: { type: 'string', enum: ['pending', 'complete', 'declined', 'cancelled', 'expired', 'failed'] },
    createdAt: moment,
    expiresAt: moment,
    link: { type: 'string', format: 'uri', description: 'Its page, which opens only for those who may answer.' },
    mayAnswer: { type: 'boolean', description: 'Whether this token may answer it.' },
    whyNot: {
      type: 'string',
      enum: ['settled', 'needs-page', 'own-question', 'no-approval', 'edited', 'right-missing'],
    },
  },
}

/** The API as OpenAPI 3.1. */
export function openApi(origin: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assent',
      version: '1',
      description: 'Lets a program see what waits for a person, and answer approvals where the rule takes a channel.',
    },
    servers: [{ url: origin }],
    security: [{ token: [] }],
    paths: {
      '/api/openapi.json': {
        get: { summary: 'This description', security: [], responses: { 200: reply('OpenAPI', { type: 'object' }) } },
      },
      '/api/status': {
        get: {
          summary: 'Whether calls are paused, and how much waits for the person',
          description: 'Needs the right status.',
          responses: {
            200: reply('The status', reference('Status')),
            ...errors(...always, ['403', 'The right is missing.']),
          },
        },
      },
      '/api/questions': {
        get: {
          summary: 'What waits for the person, most urgent first',
          description: 'Needs the right list.',
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } },
            { name: 'after', in: 'query', schema: text, description: 'The `next` of the page before.' },
          ],
          responses: {
            200: reply('Questions', {
              type: 'object',
              required: ['questions'],
              properties: { questions: { type: 'array', items: reference('Question') }, next: text },
            }),
            ...errors(...always, ['400', 'The limit is wrong.'], ['403', 'The right is missing.']),
          },
        },
      },
      '/api/questions/{id}': {
        parameters: [idParameter],
        get: {
          summary: 'One question in full',
          description: 'Needs the right list.',
          responses: {
            200: reply('The question', reference('QuestionInFull')),
            ...errors(...always, ['403', 'The right is missing.'], ['404', 'There is none, or it is put to others.']),
          },
        },
      },
      '/api/questions/{id}/answer': {
        parameters: [idParameter],
        post: {
          summary: 'Allow the call once, or deny it',
          description:
            'Needs the right answer, and answer-own for what programs ask that act for the same person. It counts as `channel`.',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: reference('Answer') } },
          },
          responses: {
            200: reply('It is settled', { type: 'object', required: ['status'], properties: { status: text } }),
            202: reply('The vote counts, and others must answer too', {
              type: 'object',
              required: ['status'],
              properties: { status: { type: 'string', const: 'pending' }, detail: text },
            }),
            ...errors(
              ...always,
              ['400', 'The answer is wrong.'],
              ['403', 'This token, or no program, may answer it.'],
              ['404', 'There is none, or it is put to others.'],
              ['409', 'It is settled, or cannot be answered here.'],
              ['413', 'The body is too long.'],
              ['415', 'The body is no JSON.'],
            ),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Made on /tokens, or by assent tokens.' },
      },
      schemas: {
        Question: item,
        QuestionInFull: {
          ...item,
          properties: {
            ...item.properties,
            arguments: { type: 'object', description: 'Of an approval, exactly as they were asked for.' },
            reason: { type: 'string', description: 'Why it is asked.' },
          },
        },
        Answer: {
          type: 'object',
          additionalProperties: false,
          required: ['choice'],
          properties: { choice: { type: 'string', enum: ['allow_once', 'deny'] }, reason: text },
        },
        Status: {
          type: 'object',
          required: ['paused', 'waiting', 'token'],
          properties: {
            paused: { type: 'boolean' },
            waiting: { type: 'integer', description: 'Counting stops at 200.' },
            token: {
              type: 'object',
              properties: { name: text, rights: { type: 'array', items: text }, expiresAt: moment },
            },
          },
        },
        Error: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: { code: text, message: text, link: text, status: text },
            },
          },
        },
      },
    },
  }
}

const idParameter = { name: 'id', in: 'path', required: true, schema: text }
