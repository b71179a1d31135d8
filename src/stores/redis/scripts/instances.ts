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

/** Removes the first records of an index, and returns them. */
export const takeFirst = scriptOf(
  records,
  `
  local members = redis.call('ZRANGE', index(A.index), 0, tonumber(A.limit) - 1)
  local taken = rows(members)
  eraseAll(members)
  return taken`,
)
