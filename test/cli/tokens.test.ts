import { beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

test('tokens are made, listed without what opens anything, and revoked', async () => {
  const store = `sqlite:${await temporaryFolder()}/assent.db`
  const run = (...args: string[]) => assent([...args, '--store', store])
  expect((await run('tokens')).out).toContain('No program has a token')
  const made = await run('tokens', 'make', 'Deck\u202e', '--right', 'list', 'answer', '--days', '7')
  expect(made.out).toMatch(/^assent_[\w-]{43}\n$/)
  const json = (await run('tokens', 'list', '--json')).out
  const [one] = JSON.parse(json)
  expect(one).toMatchObject({ participant: 'local', rights: ['list', 'answer'] })
  expect(json).not.toContain(made.out.trim().slice(8))
  expect(one.key).toBeUndefined()
  const { out } = await run('tokens')
  expect(out).toMatch(/^ID +PARTICIPANT +NAME +RIGHTS +MADE +EXPIRES\n/)
  expect(out).not.toContain('\u202e')
  expect(await run('tokens', 'revoke', one.id)).toMatchObject({ code: 0 })
  expect(await run('tokens', 'revoke', one.id)).toMatchObject({
    code: 1,
    err: 'No token has this id. See: assent tokens\n',
  })
})

test.each([
  [['--right', 'everything'], 'There is no right "everything"'],
  [['--days', '0'], '1 to 365 days'],
  [['--participant', 'nobody'], 'nobody'],
])('no token is made with %j', async (options, words) => {
  const { code, err } = await assent(['tokens', 'make', 'Deck', ...options, '--store', 'memory:'])
  expect([code, err.includes(words)]).toEqual([2, true])
})
