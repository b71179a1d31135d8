import { records } from './records.ts'
import { scriptOf } from './script.ts'

/** Where an envelope is listed follows from what it says, and changes when it is released, answered or stopped. */
const envelopes = `
  local function placesOf(envelope)
    local places = {}
    local function add(name, score) places[#places + 1] = { index = name, score = score, before = '' } end
    if envelope.state ~= 'stopped' then add('log:' .. envelope.space, 'seq') end
    if envelope.state == 'sent' then
      add('sent:' .. envelope.space, 'seq')
      for name in string.gmatch(envelope.recipients, '[^ ]+') do add('for:' .. envelope.space .. ' ' .. name, 'seq') end
    end
    if envelope.open then add('open:' .. envelope.space, 'seq') else add('over:' .. envelope.space, envelope.at) end
    return places
  end

  local function put(key, envelope)
    local nulls = envelope.open and {} or { 'open' }
    return write(key, { columns = envelope, nulls = nulls, places = placesOf(envelope), uniques = {} })
  end

  local function envelopeAt(key)
    local flat, envelope = row(key), {}
    for place = 1, #flat, 2 do
      if string.sub(flat[place], 1, 1) ~= '#' then envelope[flat[place]] = flat[place + 1] end
    end
    return #flat > 0 and envelope or nil
  end

  local function isOpen(key) return redis.call('HEXISTS', record(key), 'open') == 1 end

  local function received(space, name, seq)
    local key = P .. 'received:' .. space
    if tonumber(redis.call('HGET', key, name) or '0') < tonumber(seq) then redis.call('HSET', key, name, tonumber(seq)) end
  end
`

export const appendEnvelopes = scriptOf(
  records,
  envelopes,
  `
  local ends = {}
  for place, given in ipairs(A.batch) do
    local known = envelopeAt(given.key)
    if known then
      ends[place] = { 'known', known.digest, known.state }
    elseif given.answers and not isOpen(given.answers) then
      ends[place] = { 'answered' }
    else
      local seq = put(given.key, given.columns)
      if given.answers then
        local asked = envelopeAt(given.answers)
        asked.open = nil
        if given.stops then asked.state = 'stopped' end
        put(given.answers, asked)
      end
      for _, name in ipairs(given.handedTo) do received(given.columns.space, name, seq) end
      ends[place] = { 'added', seq }
    end
  end
  return ends`,
)

export const changeEnvelope = scriptOf(
  records,
  envelopes,
  `
  local envelope = envelopeAt(A.key)
  if not envelope or not envelope.open or (A.state == 'sent' and envelope.state == 'sent') then return false end
  if A.state == 'sent' then
    redis.call('HSET', record(A.key), '#seq', string.format('%016d', redis.call('INCR', P .. 'seq')))
  end
  envelope.text, envelope.state = A.text or envelope.text, A.state or envelope.state
  if A.isClosed then envelope.open = nil else envelope.open = A.open or envelope.open end
  return put(A.key, envelope)`,
)

/** Newest first. A participant gets what is from them, for them or for everybody. */
export const listHistory = scriptOf(
  records,
  envelopes,
  `
  local listed, from, limit, atOnce = {}, A.before, tonumber(A.limit), 200
  while #listed < limit do
    local members = redis.call('ZRANGE', index('sent:' .. A.space), from, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, atOnce)
    for _, key in ipairs(members) do
      if #listed >= limit then break end
      local found = redis.call('HMGET', record(key), 'sender', 'recipients', '#seq')
      local isTheirs = not A.participant or found[1] == A.participant or found[2] == ''
        or string.find(found[2], ' ' .. A.participant .. ' ', 1, true)
      if isTheirs then listed[#listed + 1] = row(key) end
      from = '(' .. found[3]
    end
    if #members < atOnce then break end
  end
  return listed`,
)

export const saveReceivedScript = scriptOf(
  records,
  envelopes,
  `for name, seq in pairs(A.received) do received(A.space, name, seq) end`,
)

export const listReceived = scriptOf(records, `return redis.call('HGETALL', P .. 'received:' .. A.space)`)
