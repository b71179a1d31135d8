import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createEvents } from '../../src/base/events.ts'

test('every listener hears the news until it stops listening', () => {
  const events = createEvents<string>()
  const heard: string[] = []
  const stop = events.listen((news) => heard.push(`a ${news}`))
  events.listen((news) => heard.push(`b ${news}`))
  events.tell('1')
  stop()
  events.tell('2')
  expect(heard).toEqual(['a 1', 'b 1', 'b 2'])
})

test('a listener that throws harms neither the teller nor the next listener, and is not silent', async () => {
  const events = createEvents<string>()
  const heard: string[] = []
  events.listen(() => {
    throw new Error('broken listener')
  })
  events.listen(() => {
    throw 'not even an error'
  })
  events.listen((news) => heard.push(news))
  const warned = once(process, 'warning')
  events.tell('1')
  expect(heard).toEqual(['1'])
  expect((await warned)[0]).toMatchObject({ message: 'broken listener' })
})
