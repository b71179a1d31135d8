import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../scripts/clients/model/conversation.ts'
import { type FakeModel, startModel } from '../../scripts/clients/model/model.ts'

let model: FakeModel
beforeAll(async () => {
  model = await startModel()
})
afterAll(() => model.close())

/** How a client of each API sends a prompt and offers tools, and how it hands on what a tool gave. */
const apis = {
  anthropic: {
    path: '/v1/messages',
    ask: (prompt: string, tools: string[]) => ({
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      tools: tools.map((name) => ({ name })),
    }),
    callIn: ({ content: [part] }) => part?.type === 'tool_use' && { name: part.name, given: part.input },
    wordsIn: ({ content: [part] }) => part.text,
    withResult: (body, { content: [part] }, text) => ({
      ...body,
      messages: [
        ...body.messages,
        { role: 'assistant', content: [part] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: part.id, content: [{ type: 'text', text }] }] },
      ],
    }),
  },
  chat: {
    path: '/v1/chat/completions',
    ask: (prompt: string, tools: string[]) => ({
      messages: [{ role: 'user', content: prompt }],
      tools: tools.map((name) => ({ type: 'function', function: { name } })),
    }),
    callIn: ({ choices: [{ message }] }) =>
      message.tool_calls && {
        name: message.tool_calls[0].function.name,
        given: JSON.parse(message.tool_calls[0].function.arguments),
      },
    wordsIn: ({ choices: [{ message }] }) => message.content,
    withResult: (body, { choices: [{ message }] }, text) => ({
      ...body,
      messages: [...body.messages, message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: text }],
    }),
  },
  responses: {
    path: '/v1/responses',
    ask: (prompt: string, tools: string[]) => ({
      input: [{ role: 'user', content: [{ type: 'input_text', text: prompt }] }],
      tools: [{ type: 'namespace', name: 'mcp__assent__', tools: tools.map((name) => ({ type: 'function', name })) }],
    }),
    callIn: ({ output: [item] }) =>
      item.type === 'function_call' && { name: item.name, given: JSON.parse(item.arguments) },
    wordsIn: ({ output: [item] }) => item.content[0].text,
    withResult: (body, { output: [item] }, text) => ({
      ...body,
      input: [...body.input, item, { type: 'function_call_output', call_id: item.call_id, output: text }],
    }),
  },
  gemini: {
    path: '/v1beta/models/fake:generateContent',
    ask: (prompt: string, tools: string[]) => ({
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
    }),
    callIn: ({ candidates: [{ content }] }) =>
      content.parts[0].functionCall && {
        name: content.parts[0].functionCall.name,
        given: content.parts[0].functionCall.args,
      },
    wordsIn: ({ candidates: [{ content }] }) => content.parts[0].text,
    withResult: (body, { candidates: [{ content }] }, text) => ({
      ...body,
      contents: [
        ...body.contents,
        content,
        {
          role: 'user',
          parts: [{ functionResponse: { name: content.parts[0].functionCall.name, response: { output: text } } }],
        },
      ],
    }),
  },
} satisfies Record<string, Api>

// biome-ignore lint/suspicious/noExplicitAny: bodies of four foreign APIs
type Json = any

interface Api {
  readonly path: string
  ask(prompt: string, tools: string[]): Json
  callIn(reply: Json): { readonly name: string; readonly given: Json } | false | undefined
  wordsIn(reply: Json): string
  withResult(body: Json, reply: Json, text: string): Json
}

async function post(path: string, body: Json): Promise<Json> {
  const reply = await fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) })
  return reply.json()
}

async function* echoTwice(read: string[]): Script {
  read.push(yield { tool: 'files__echo-it', arguments: { word: 'one' } })
  read.push(yield { tool: 'files__echo-it', arguments: { word: 'two' } })
  return 'That is all.'
}

describe.each(Object.entries<Api>(apis))('by the API of %s', (_, api) => {
  test('it calls what the script says, whatever the client made of its name, and reads the results', async () => {
    const read: string[] = []
    const { prompt, ended } = model.play(echoTwice(read))
    let body = api.ask(prompt, ['other', 'assent_files__echo_it'])
    for (const word of ['one', 'two']) {
      const reply = await post(api.path, body)
      expect(api.callIn(reply)).toEqual({ name: 'assent_files__echo_it', given: { word } })
      body = api.withResult(body, reply, `Echo: ${word}`)
    }

    expect(api.wordsIn(await post(api.path, body))).toBe('That is all.')
    await ended
    expect(read).toEqual(['Echo: one', 'Echo: two'])
  })

  test('a request that is sent twice gets the same call, and the script goes on once', async () => {
    const read: string[] = []
    const { prompt } = model.play(echoTwice(read))
    const body = api.ask(prompt, ['files__echo-it'])
    const first = await post(api.path, body)
    expect(api.callIn(await post(api.path, body))).toEqual(api.callIn(first))
    expect(read).toEqual([])
  })
})

test('a tool that is not offered is looked for with the search of the client, three times at most', async () => {
  const { prompt } = model.play(echoTwice([]))
  const { anthropic } = apis
  let body = anthropic.ask(prompt, ['ToolSearch'])
  for (let searched = 0; searched < 3; searched += 1) {
    const reply = await post(anthropic.path, body)
    expect(anthropic.callIn(reply)).toMatchObject({ name: 'ToolSearch', given: { query: 'files__echo-it' } })
    body = anthropic.withResult(body, reply, 'nothing found')
  }
  expect(anthropic.wordsIn(await post(anthropic.path, body))).toContain('no tool files__echo-it')
})

test('what belongs to no script gets a greeting', async () => {
  const { chat } = apis
  expect(chat.wordsIn(await post(chat.path, chat.ask('Write a title for this conversation.', ['some'])))).toBe('Hello.')
})
