import { records } from './records.ts'
import { scriptOf } from './script.ts'

/** Lua counts exactly up to 2^53, and writes large numbers only in this way without rounding them. */
export const takeUsage = scriptOf(
  records,
  `
  local used = tonumber(redis.call('HGET', record(A.key), 'used') or '0')
  if used + tonumber(A.columns.used) > tonumber(A.most) then return 0 end
  A.columns.used = string.format('%.0f', used + tonumber(A.columns.used))
  write(A.key, A)
  return 1`,
)

export const giveBackUsage = scriptOf(
  records,
  `
  local used = redis.call('HGET', record(A.key), 'used')
  if not used then return 0 end
  redis.call('HSET', record(A.key), 'used', string.format('%.0f', math.max(0, tonumber(used) - tonumber(A.amount))))
  return 1`,
)
