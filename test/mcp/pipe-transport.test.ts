import { PassThrough, Writable } from 'node:stream'
import { setImmediate as tick } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { PipeTransport } from '../../src/mcp/pipe-transport.ts'

const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' }) as const

async function aPipe(output: Writable = new PassThrough()) {
  const input = new PassThrough()
  const heard: unknown[] = []
  const transport = new PipeTransport(input, output)
  transport.onmessage = (one: JSONRPCMessage) => void heard.push(one)
  transport.onerror = ({ message: words }) => void heard.push(words)
  transport.onclose = () => void heard.push('closed')
  await transport.start()
  return { input, output, heard, transport }
}

test('messages are read however their bytes are cut', async () => {
  const { input, heard } = await aPipe()
  const text = `${JSON.stringify(message(1))}\r\n\n${JSON.stringify({ ...message(2), params: { name: 'é' } })}\n`
  for (const byte of Buffer.from(text)) input.write(Buffer.from([byte]))
  input.write(`${JSON.stringify(message(3))}\n${JSON.stringify(message(4))}\n{"jsonrpc"`)
  await tick()
  expect(heard).toEqual([message(1), { ...message(2), params: { name: 'é' } }, message(3), message(4)])
})

test('a line that is no JSON is skipped, and one that is no message is reported', async () => {
  const { input, heard } = await aPipe()
  input.write(`starting…\n{"hello":1}\n${JSON.stringify(message(1))}\n`)
  await tick()
  expect(heard).toEqual([expect.stringContaining('invalid'), message(1)])
})

test('the end of the input closes it, once', async () => {
  const { input, heard, transport } = await aPipe()
  input.end()
  await expect.poll(() => heard).toEqual(['closed'])
  await transport.close()
  await expect(transport.send(message(1))).rejects.toThrow('closed')
  expect(heard).toEqual(['closed'])
})

test('an input that has ended before closes it', async () => {
  const input = new PassThrough()
  input.destroy()
  let isClosed = false
  const transport = new PipeTransport(input, new PassThrough())
  transport.onclose = () => {
    isClosed = true
  }
  await transport.start()
  await expect.poll(() => isClosed).toBe(true)
})

test('a line without an end closes it before it fills the memory', async () => {
  const { input, heard } = await aPipe()
  const megabyte = Buffer.alloc(1024 * 1024, 'x')
  for (let at = 0; at < 11; at += 1) input.write(megabyte)
  await expect.poll(() => heard).toEqual([expect.stringContaining('longer than'), 'closed'])
})

test('nothing is read after it was closed, not even from the same chunk', async () => {
  const { input, heard, transport } = await aPipe()
  transport.onmessage = (one) => {
    heard.push(one)
    void transport.close()
  }
  input.write(`${JSON.stringify(message(1))}\n${JSON.stringify(message(2))}\n`)
  await tick()
  expect(heard).toEqual([message(1), 'closed'])
})

test('a slow reader is waited for, and a lost one closes it', async () => {
  const parts: string[] = []
  let next = () => {}
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      parts.push(String(chunk))
      next = done
    },
  })
  const { transport, heard } = await aPipe(slow)
  let isSent = false
  const sending = transport.send(message(1)).then(() => {
    isSent = true
  })
  await tick()
  expect(isSent).toBe(false)
  next()
  await sending
  expect(parts).toEqual([`${JSON.stringify(message(1))}\n`])
  const lost = transport.send(message(2))
  slow.destroy(new Error('EPIPE'))
  await expect(lost).rejects.toThrow('closed')
  await expect.poll(() => heard).toEqual(['EPIPE', 'closed'])
})
