import { scriptOf } from './script.ts'

/**
 * A chain is a stream, with the number of each event as its id. Streams cannot be changed, and what was kept in full must
 * be erasable: it is in a hash for each pseudonym, and `kept:` has its events in the order of their numbers.
 */
const chains = `
  local P, A = KEYS[1], cjson.decode(ARGV[1])
  local function stream(chain) return P .. 'chain:' .. chain end
  local function keptOf(who) return P .. 'in full:' .. who end
  local function keptIn(chain) return P .. 'kept:' .. chain end
  local function anchor(chain) return P .. 'anchor:' .. chain end
  local function id(seq) return seq .. '-1' end
  local function seqOf(id) return tonumber(string.match(id, '^%d+')) end
  local function last(chain) return redis.call('XREVRANGE', stream(chain), '+', '-', 'COUNT', 1)[1] end

  local function fieldsOf(entry)
    local event = {}
    for place = 1, #entry[2], 2 do event[entry[2][place]] = entry[2][place + 1] end
    return event
  end
`

/** All or none: whether one is there already is looked at before the first is written. */
export const appendEvents = scriptOf(
  chains,
  `
  local newest = {}
  for _, event in ipairs(A.events) do
    if not newest[event.chain] then
      local entry = last(event.chain)
      local pruned = tonumber(redis.call('HGET', anchor(event.chain), 'seq') or '-1')
      newest[event.chain] = math.max(entry and seqOf(entry[1]) or -1, pruned)
    end
    local seq = tonumber(event.seq)
    if seq <= newest[event.chain] then return 0 end
    newest[event.chain] = seq
  end
  for _, event in ipairs(A.events) do
    redis.call('XADD', stream(event.chain), id(event.seq), unpack(event.fields))
    if event.kept then
      redis.call('HSET', keptOf(event.who), event.chain .. '/' .. event.seq, event.kept)
      redis.call('ZADD', keptIn(event.chain), event.seq, event.seq .. ' ' .. event.who)
    end
    local written = redis.call('INCR', P .. 'written')
    redis.call('ZADD', P .. 'began', 'NX', written, event.chain)
    redis.call('ZADD', P .. 'last', written, event.chain)
  end
  return 1`,
)

export const readEvents = scriptOf(
  chains,
  `
  local from = A.after == '' and '-' or '(' .. A.after .. '-1'
  local all = {}
  for place, entry in ipairs(redis.call('XRANGE', stream(A.chain), from, '+', 'COUNT', A.limit)) do
    local event, seq = entry[2], string.match(entry[1], '^%d+')
    local fields = fieldsOf(entry)
    local kept = fields['#kept'] and redis.call('HGET', keptOf(fields.who or ''), A.chain .. '/' .. seq)
    event[#event + 1] = 'seq'
    event[#event + 1] = seq
    if kept then
      event[#event + 1] = 'kept'
      event[#event + 1] = kept
    end
    all[place] = event
  end
  return all`,
)

export const listHeads = scriptOf(
  chains,
  `
  local heads, limit = {}, tonumber(A.limit)
  for _, chain in ipairs(redis.call('ZRANGE', P .. 'last', 0, -1, 'REV')) do
    if #heads >= limit then break end
    local entry = last(chain)
    if entry then heads[#heads + 1] = { chain, string.match(entry[1], '^%d+'), fieldsOf(entry).mac } end
  end
  return heads`,
)

export const listChains = scriptOf(
  chains,
  `
  local all = {}
  for place, chain in ipairs(redis.call('ZRANGE', P .. 'began', 0, -1)) do
    local found = redis.call('HMGET', anchor(chain), 'seq', 'mac', 'anchor_mac')
    all[place] = found[1] and { chain, found[1], found[2], found[3] } or { chain }
  end
  return all`,
)

export const pruneChain = scriptOf(
  chains,
  `
  local before = redis.call('HGET', anchor(A.chain), 'seq')
  if before and tonumber(before) >= tonumber(A.seq) then return 0 end
  redis.call('HSET', anchor(A.chain), 'seq', A.seq, 'mac', A.mac, 'anchor_mac', A.anchorMac)
  redis.call('ZADD', P .. 'began', 'NX', 0, A.chain)
  for _, member in ipairs(redis.call('ZRANGE', keptIn(A.chain), '-inf', A.seq, 'BYSCORE')) do
    local seq, who = string.match(member, '^(%d+) (.*)$')
    redis.call('HDEL', keptOf(who), A.chain .. '/' .. seq)
    redis.call('ZREM', keptIn(A.chain), member)
  end
  return redis.call('XTRIM', stream(A.chain), 'MINID', id(string.format('%.0f', tonumber(A.seq) + 1)))`,
)

export const eraseKeptInFull = scriptOf(
  chains,
  `
  local erased = redis.call('HKEYS', keptOf(A.who))
  for _, name in ipairs(erased) do
    local chain, seq = string.match(name, '^(.*)/(%d+)$')
    redis.call('ZREM', keptIn(chain), seq .. ' ' .. A.who)
  end
  redis.call('DEL', keptOf(A.who))
  return #erased`,
)

export const givePseudonym = scriptOf(
  chains,
  `
  redis.call('HSETNX', P .. 'pseudonyms', A.participant, A.candidate)
  return redis.call('HGET', P .. 'pseudonyms', A.participant)`,
)

export const findPseudonymScript = scriptOf(chains, `return redis.call('HGET', P .. 'pseudonyms', A.participant)`)

export const deletePseudonymScript = scriptOf(chains, `return redis.call('HDEL', P .. 'pseudonyms', A.participant)`)

export const giveKey = scriptOf(
  chains,
  `
  if A.candidate and redis.call('EXISTS', P .. 'key') == 0 then
    redis.call('HSET', P .. 'key', 'key', A.candidate.key, 'box', A.candidate.box)
  end
  return redis.call('HMGET', P .. 'key', 'key', 'box')`,
)

export const replaceKeyScript = scriptOf(
  chains,
  `
  local kept = redis.call('HMGET', P .. 'key', 'key', 'box')
  if kept[1] ~= A.previous.key or kept[2] ~= A.previous.box then return 0 end
  redis.call('HSET', P .. 'key', 'key', A.next.key, 'box', A.next.box)
  return 1`,
)
