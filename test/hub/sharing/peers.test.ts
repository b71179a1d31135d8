import { expect, onTestFinished, test } from 'vitest'
import { meetPeers } from '../../../src/hub/sharing/peers.ts'
import type { Post, Word } from '../../../src/instance/post.ts'

/** An instance that hears what the test says in the name of others. */
async function anInstance() {
  const hearers = new Map<string, (word: Word, from: string) => void>()
  const told: string[] = []
  const post = {
    id: 'self',
    others: async () => ['one', 'two'],
    send: async () => {},
    sendAll: async () => ['one', 'two'],
    on(kind: string, hear: (word: Word, from: string) => void) {
      hearers.set(kind, hear)
      return () => hearers.delete(kind)
    },
  } as unknown as Post
  const peers = await meetPeers({
    space: 'ops',
    post,
    after: () => () => {},
    mine: () => new Map(),
    isMine: () => false,
    onError: (error) => told.push(String(error)),
    came: (id, wasHere) => told.push(`${id} came${wasHere ? ' again' : ''}`),
    gone: (id, words) => told.push(`${id} left: ${words}`),
    heartbeat: (id) => told.push(`${id} is alive`),
    letGo: async () => {},
    grown: () => told.push('grown'),
    message: (id, text) => told.push(`${text} for ${id}`),
    word: () => told.push('a word'),
    lookAround: () => {},
  })
  onTestFinished(() => peers.close())
  const hears = (from: string, kind: string, word: object, space = 'ops') =>
    hearers.get(kind)?.({ kind, space, ...word } as Word, from)
  const here = (from: string, joined: [string, number][], more: object = {}) =>
    hears(from, 'hub-here', { here: joined, left: [], beats: [], moved: [], ...more })
  return { peers, told, hears, here }
}

test('who joins again elsewhere did not leave, in whichever order the two instances are heard', async () => {
  const { told, here } = await anInstance()
  here('one', [['b', 1]])
  here('one', [], { moved: ['b'] })
  here('two', [['b', 2]])
  here('one', [['b', 3]])
  here('two', [], { moved: ['b'] })
  expect(told).toEqual(['b came', 'b came again', 'b came again'])
})

test('who leaves an instance, says that they are alive, or goes with their instance, is told of', async () => {
  const { told, here, hears, peers } = await anInstance()
  here('one', [
    ['a', 1],
    ['b', 2],
  ])
  here('one', [['b', 2]], { left: [['a', 'Leaving.']], beats: ['a', 'b'] })
  hears('one', 'hub-closed', {})
  expect(told).toEqual(['a came', 'b came', 'a left: Leaving.', 'b is alive', 'b left: The hub is going down.'])
  expect(peers.here()).toEqual([])
})

test('what is said of another space is not heard', async () => {
  const { told, hears } = await anInstance()
  for (const kind of ['hub-here', 'hub-closed', 'hub-grown', 'hub-message', 'hub-tools']) hears('one', kind, {}, 'lab')
  expect(told).toEqual([])
  hears('one', 'hub-grown', {})
  hears('one', 'hub-message', { to: 'a', text: 'x' })
  hears('one', 'hub-tools', {})
  expect(told).toEqual(['grown', 'x for a', 'a word'])
})
