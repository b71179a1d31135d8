import { scriptOf } from './script.ts'

/**
 * The counts of one kind and period are a hash, named by the moment at which the period began, in an index by that
 * moment. Adding begins with a command that a server without memory refuses, so that nothing is written by half.
 */
const begin = `
  local P, A = KEYS[1], cjson.decode(ARGV[1])
  local function hash(group, from) return P .. 'counts:' .. group .. ':' .. from end
  local function index(group) return P .. 'index:' .. group end`

export const addCounts = scriptOf(
  begin,
  `
  for _, one in ipairs(A.counts) do
    redis.call('HINCRBY', hash(one[1], one[2]), one[3], one[4])
    redis.call('ZADD', index(one[1]), one[2], one[2])
  end`,
)

/** Each period that begins in the span, in the order of time, with the fields of its hash. Ends when it has enough. */
export const listCounts = scriptOf(
  begin,
  `
  local found, size = {}, 0
  for _, from in ipairs(redis.call('ZRANGE', index(A.group), A.from, '(' .. A['until'], 'BYSCORE')) do
    local fields = redis.call('HGETALL', hash(A.group, from))
    found[#found + 1] = { from, fields }
    size = size + #fields / 2
    if size >= tonumber(A.limit) then break end
  end
  return found`,
)

/** Deletes fields of the oldest hashes, and a hash when it has none left. */
export const deleteCounts = scriptOf(
  begin,
  `
  local deleted, limit = 0, tonumber(A.limit)
  for _, group in ipairs(A.groups) do
    for _, from in ipairs(redis.call('ZRANGE', index(group), '-inf', '(' .. A.before, 'BYSCORE')) do
      if deleted >= limit then return deleted end
      for _, field in ipairs(redis.call('HKEYS', hash(group, from))) do
        if deleted >= limit then return deleted end
        redis.call('HDEL', hash(group, from), field)
        deleted = deleted + 1
      end
      redis.call('ZREM', index(group), from)
    end
  end
  return deleted`,
)
