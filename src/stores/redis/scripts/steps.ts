import { records } from './records.ts'
import { scriptOf } from './script.ts'

/** A claim that is not the first only makes the step be remembered for longer. */
export const claimStep = scriptOf(
  records,
  `
  local at = record(A.key)
  if redis.call('EXISTS', at) == 0 then
    write(A.key, A)
    return { 'claimed' }
  end
  if tonumber(A.columns.until_at) > tonumber(redis.call('HGET', at, 'until_at')) then
    redis.call('HSET', at, 'until_at', A.columns.until_at)
    redis.call('ZADD', index('until'), A.columns.until_at, A.key)
  end
  return { 'known', row(A.key) }`,
)

/** Keeps a result over what is expected. */
export const finishStep = scriptOf(
  records,
  `
  local at = record(A.key)
  if redis.call('EXISTS', at) == 0 or not isAsExpected(A.key, A.expected) then return 0 end
  A.places[#A.places + 1] = { index = 'until', score = redis.call('HGET', at, 'until_at'), before = '' }
  write(A.key, A)
  return 1`,
)
