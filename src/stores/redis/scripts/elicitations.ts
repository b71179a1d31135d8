import { records } from './records.ts'
import { scriptOf } from './script.ts'

/**
 * Of settled questions, `settled` has those that may be deleted: the latest answer of a participant and type is not in it
 * before a later one takes its place in `latest:`.
 */
const elicitations = `
  local function latest(name) return P .. 'latest:' .. name end

  local function settle(key, name)
    if name == '' then
      redis.call('ZADD', index('settled'), redis.call('HGET', record(key), 'settled_at'), key)
      return
    end
    local before = redis.call('GET', latest(name))
    redis.call('SET', latest(name), key)
    redis.call('HSET', record(key), '#latest', name)
    local at = before and redis.call('HGET', record(before), 'settled_at')
    if at then redis.call('ZADD', index('settled'), at, before) end
  end

  local function eraseQuestion(key)
    redis.call('ZREM', index('settled'), key)
    local name = redis.call('HGET', record(key), '#latest')
    if name and redis.call('GET', latest(name)) == key then redis.call('DEL', latest(name)) end
    erase(key)
  end

  -- After a question was settled, only the seal of its answer changes. Names stay as they are, so that none comes back
  -- that was forgotten meanwhile.
  local function reseal(key, given)
    local at, places = record(key), {}
    redis.call('HSET', at, 'version', given.columns.version, 'outcome', given.columns.outcome or '{}')
    for _, place in ipairs(listIn(key, '#places')) do
      if place[1] == 'sealed' then redis.call('ZREM', index('sealed'), place[2]) else places[#places + 1] = place end
    end
    redis.call('HDEL', at, 'sealed_key')
    for _, place in ipairs(given.places) do
      if place.index == 'sealed' then
        local member = memberOf(place, key, '')
        redis.call('ZADD', index('sealed'), place.score, member)
        redis.call('HSET', at, 'sealed_key', given.columns.sealed_key)
        places[#places + 1] = { 'sealed', member }
      end
    end
    redis.call('HSET', at, '#places', cjson.encode(places))
  end
`

export const saveElicitation = scriptOf(
  records,
  elicitations,
  `
  if redis.call('HGET', record(A.key), 'version') ~= A.before then return 0 end
  if redis.call('HGET', record(A.key), 'state') == 'open' then
    write(A.key, A)
    if A.columns.state ~= 'open' then settle(A.key, A.latest) end
  else
    reseal(A.key, A)
  end
  redis.call('PUBLISH', A.channel, A.id)
  return 1`,
)

export const latestAnswered = scriptOf(
  records,
  elicitations,
  `
  local key = redis.call('GET', latest(A.latest))
  return key and row(key) or {}`,
)

export const deleteSettledScript = scriptOf(
  records,
  elicitations,
  `
  local old = redis.call('ZRANGE', index('settled'), '-inf', '(' .. A.moment, 'BYSCORE', 'LIMIT', 0, A.limit)
  return eraseAll(old, eraseQuestion)`,
)

// Waiting processes must learn that a deleted question will not be answered.
export const forgetAsker = scriptOf(
  records,
  elicitations,
  `
  local mine = redis.call('ZRANGE', index('of:' .. A.name), 0, tonumber(A.limit) - 1)
  for _, key in ipairs(mine) do
    if redis.call('HGET', record(key), 'state') == 'open' then
      redis.call('PUBLISH', A.channel, redis.call('HGET', record(key), 'id'))
    end
  end
  return eraseAll(mine, eraseQuestion)`,
)

export const forgetInVotes = scriptOf(
  records,
  `
  local function replaced(text, name, other)
    local parts, from = {}, 1
    while true do
      local first, last = string.find(text, name, from, true)
      if not first then break end
      parts[#parts + 1] = string.sub(text, from, first - 1) .. other
      from = last + 1
    end
    parts[#parts + 1] = string.sub(text, from)
    return table.concat(parts)
  end

  for _, key in ipairs(redis.call('ZRANGE', index('named:' .. A.name), 0, -1)) do
    local voting = redis.call('HGET', record(key), 'voting')
    if voting then
      local before = voting
      for _, names in ipairs(A.replaced) do voting = replaced(voting, names[1], names[2]) end
      if voting ~= before then
        -- A new version, so that a save of what was read before does not bring the name back.
        redis.call('HSET', record(key), 'voting', voting)
        redis.call('HINCRBY', record(key), 'version', 1)
      end
    end
  end
  return 0`,
)

/** Which of these questions are not open, or not there. */
export const listNotOpen = scriptOf(
  records,
  `
  local ids = {}
  for _, watched in ipairs(A.watched) do
    if redis.call('HGET', record(watched.key), 'state') ~= 'open' then ids[#ids + 1] = watched.id end
  end
  return ids`,
)

/**
 * Everything that waits for some answerers. A member is one digit for the urgency, 17 for the expiry, 16 for the number of
 * the question, a space and the requester, so that none of the questions must be read to count them. Listed by urgency, then the newest
 * first.
 */
const waiting = `
  local function waitingFor(answerers, moment)
    local all, known = {}, {}
    for _, answerer in ipairs(answerers) do
      for _, member in ipairs(redis.call('ZRANGE', index('waiting:' .. answerer), 0, -1)) do
        if not known[member] and string.sub(member, 2, 18) > moment then
          local urgency, seq = string.sub(member, 1, 1), string.sub(member, 19, 34)
          local requester, key = string.match(member, '^([^\\n]*)\\n(.*)$', 36)
          all[#all + 1] = { key = key, requester = requester, urgency = urgency, seq = seq }
        end
        known[member] = true
      end
    end
    return all
  end

  local function isBefore(one, other)
    if one.urgency ~= other.urgency then return one.urgency < other.urgency end
    return one.seq > other.seq
  end

  -- What comes after the question of this key, or everything if there is none.
  local function page(all, after, limit)
    local found = after and redis.call('HMGET', record(after), 'urgency', '#seq') or {}
    local last = found[1] and { urgency = found[1], seq = found[2] }
    table.sort(all, isBefore)
    local listed = {}
    for _, one in ipairs(all) do
      if #listed >= limit then break end
      if not last or isBefore(last, one) then listed[#listed + 1] = one end
    end
    return listed
  end
`

export const listWaitingRequesters = scriptOf(
  records,
  waiting,
  `
  local all, groups, known = waitingFor(A.answerers, A.moment), {}, {}
  for _, one in ipairs(all) do
    local group = known[one.requester]
    if not group then
      group = { requester = one.requester, count = 0, key = one.key, urgency = one.urgency, seq = one.seq }
      known[one.requester], groups[#groups + 1] = group, group
    elseif isBefore(one, group) then
      group.key, group.urgency, group.seq = one.key, one.urgency, one.seq
    end
    group.count = group.count + 1
  end
  local listed = {}
  for place, group in ipairs(page(groups, A.after, tonumber(A.limit))) do
    listed[place] = { group.requester, group.count, row(group.key) }
  end
  return { #all, listed }`,
)

export const listWaitingOf = scriptOf(
  records,
  waiting,
  `
  local theirs = {}
  for _, one in ipairs(waitingFor(A.answerers, A.moment)) do
    if one.requester == A.requester then theirs[#theirs + 1] = one end
  end
  local listed = {}
  for place, one in ipairs(page(theirs, A.after, tonumber(A.limit))) do listed[place] = row(one.key) end
  return listed`,
)
