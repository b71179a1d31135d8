import { records } from './records.ts'
import { scriptOf } from './script.ts'

/** Writes the columns that are given over those that are kept. */
export const putRecord = scriptOf(records, 'write(A.key, A)')

/** Keeps a mail unless too many wait, and wakes the one it is for. */
export const putMail = scriptOf(
  records,
  `
  if redis.call('ZCARD', index(A.places[1].index)) >= tonumber(A.most) then return 0 end
  write(A.key, A)
  redis.call('PUBLISH', A.channel, A.change)
  return 1`,
)

/** Removes mail that was read, and returns the first of an index. */
export const takeMail = scriptOf(
  records,
  `
  for _, id in ipairs(A.read) do
    if redis.call('HGET', record(id), 'recipient') == A.to then erase(id) end
  end
  return rows(redis.call('ZRANGE', index(A.index), 0, tonumber(A.limit) - 1))`,
)
