import { scriptOf } from './script.ts'

/**
 * What every script begins with. A record is a hash, and its fields beside the columns are where it stands: `#seq`, its
 * place in the order of adding; `#places`, the sorted sets it is in, each with its member there; `#uniques`, the names that
 * only it may have. The key of a record is what follows the last line end of a member.
 *
 * Every write begins with a command that a server without memory refuses, so that nothing is written by half.
 */
export const records = `
  local P, A = KEYS[1], cjson.decode(ARGV[1])

  local function record(key) return P .. 'record:' .. key end
  local function index(name) return P .. 'index:' .. name end
  local function unique(name) return P .. 'unique:' .. name end
  local function keyIn(member) return string.match(member, '[^\\n]*$') end
  local function row(key) return redis.call('HGETALL', record(key)) end

  local function rows(members)
    local all = {}
    for place, member in ipairs(members) do all[place] = row(keyIn(member)) end
    return all
  end

  local function listIn(key, field)
    local kept = redis.call('HGET', record(key), field)
    return kept and cjson.decode(kept) or {}
  end

  local function isAsExpected(key, expected)
    for column, value in pairs(expected) do
      if redis.call('HGET', record(key), column) ~= value then return false end
    end
    return true
  end

  local function memberOf(place, key, seq)
    local before = place.before .. (place.ordered and seq or '') .. (place.note and ' ' .. place.note or '')
    return before == '' and key or before .. '\\n' .. key
  end

  local function write(key, given)
    local at = record(key)
    local seq = redis.call('HGET', at, '#seq') or string.format('%016d', redis.call('INCR', P .. 'seq'))
    local fields = { '#seq', seq }
    for column, value in pairs(given.columns) do
      fields[#fields + 1] = column
      fields[#fields + 1] = value
    end
    redis.call('HSET', at, unpack(fields))
    for column, value in pairs(given.first or {}) do redis.call('HSETNX', at, column, value) end
    for _, column in ipairs(given.nulls) do redis.call('HDEL', at, column) end

    local places = {}
    for _, place in ipairs(given.places) do places[#places + 1] = place end
    for _, column in ipairs(given.names or {}) do
      local name = redis.call('HGET', at, column)
      if name and name ~= given.forgotten then
        places[#places + 1] = { index = 'named:' .. name, score = '0', before = '' }
      end
    end
    local was, now, kept = listIn(key, '#places'), {}, {}
    for number, place in ipairs(places) do
      local member = memberOf(place, key, seq)
      redis.call('ZADD', index(place.index), place.score == 'seq' and seq or place.score, member)
      kept[number] = { place.index, member }
      now[place.index .. '\\n' .. member] = true
    end
    for _, place in ipairs(was) do
      if not now[place[1] .. '\\n' .. place[2]] then redis.call('ZREM', index(place[1]), place[2]) end
    end
    local uniques = {}
    for _, name in ipairs(given.uniques) do
      redis.call('SET', unique(name), key)
      uniques[name] = true
    end
    for _, name in ipairs(listIn(key, '#uniques')) do
      if not uniques[name] then redis.call('DEL', unique(name)) end
    end
    redis.call('HSET', at, '#places', cjson.encode(kept), '#uniques', cjson.encode(given.uniques))
    return seq
  end

  local function erase(key)
    for _, place in ipairs(listIn(key, '#places')) do redis.call('ZREM', index(place[1]), place[2]) end
    for _, name in ipairs(listIn(key, '#uniques')) do redis.call('DEL', unique(name)) end
    redis.call('DEL', record(key))
  end

  local function eraseAll(members, one)
    for _, member in ipairs(members) do (one or erase)(keyIn(member)) end
    return #members
  end
`

export const addRecord = scriptOf(
  records,
  `
  for _, name in ipairs(A.uniques) do
    local other = redis.call('GET', unique(name))
    if other then return { 'taken', row(other) } end
  end
  if redis.call('EXISTS', record(A.key)) == 1 then return { 'taken', row(A.key) } end
  for _, limit in ipairs(A.limits) do
    if redis.call('ZCARD', index(limit.index)) >= tonumber(limit.most) then return { 'full', limit.index } end
  end
  write(A.key, A)
  return { 'added' }`,
)

export const getRecord = scriptOf(records, 'return row(A.key)')

export const findRecord = scriptOf(
  records,
  `
  local key = redis.call('GET', unique(A.unique))
  return key and row(key) or {}`,
)

export const saveRecord = scriptOf(
  records,
  `
  if not isAsExpected(A.key, A.expected) then return 0 end
  write(A.key, A)
  return 1`,
)

export const takeRecord = scriptOf(
  records,
  `
  if not isAsExpected(A.key, A.expected) then return {} end
  local taken = row(A.key)
  erase(A.key)
  return taken`,
)

/** With several indexes each record is listed once, in the order of the members. */
export const listRecords = scriptOf(
  records,
  `
  if #A.indexes == 1 then return rows(redis.call('ZRANGE', index(A.indexes[1]), unpack(A.range))) end
  local all, known = {}, {}
  for _, name in ipairs(A.indexes) do
    for _, member in ipairs(redis.call('ZRANGE', index(name), unpack(A.range))) do
      if not known[member] then all[#all + 1] = member end
      known[member] = true
    end
  end
  table.sort(all)
  local listed = {}
  for place = 1, math.min(#all, tonumber(A.limit)) do listed[place] = all[place] end
  return rows(listed)`,
)

export const deleteRecords = scriptOf(records, `return eraseAll(redis.call('ZRANGE', index(A.index), unpack(A.range)))`)

export const forgetName = scriptOf(
  records,
  `
  local members = redis.call('ZRANGE', index('named:' .. A.name), 0, tonumber(A.limit) - 1)
  for _, key in ipairs(members) do
    for _, column in ipairs(A.columns) do
      if redis.call('HGET', record(key), column) == A.name then redis.call('HSET', record(key), column, A.forgotten) end
    end
    redis.call('ZREM', index('named:' .. A.name), key)
    local left = {}
    for _, place in ipairs(listIn(key, '#places')) do
      if place[1] ~= 'named:' .. A.name then left[#left + 1] = place end
    end
    redis.call('HSET', record(key), '#places', cjson.encode(left))
  end
  return #members`,
)

// Members of the index "sealed" begin with the id of a key. One look for each key, however many records there are.
export const listSealingKeys = scriptOf(
  records,
  `
  local keys, from = {}, '-'
  while true do
    local member = redis.call('ZRANGE', index('sealed'), from, '+', 'BYLEX', 'LIMIT', 0, 1)[1]
    if not member then return keys end
    local key = string.match(member, '^[^\\n]*')
    keys[#keys + 1] = key
    from = '(' .. key .. '\\n\\255'
  end`,
)

export const listSealedExceptKey = scriptOf(
  records,
  `
  local limit = tonumber(A.limit)
  local function range(from, to, count)
    return redis.call('ZRANGE', index('sealed'), from, to, 'BYLEX', 'LIMIT', 0, count)
  end
  local all = range('-', '(' .. A.except .. '\\n', limit)
  for _, member in ipairs(range('(' .. A.except .. '\\n\\255', '+', limit - #all)) do all[#all + 1] = member end
  return rows(all)`,
)
