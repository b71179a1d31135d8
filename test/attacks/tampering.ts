/** Numbers that look random and are the same in every run. */
function dice(seed = 1): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A state as whoever attacks it takes it apart: key id, version and bytes. */
function partsOf(state: string): { key: string; version: string; bytes: Buffer } {
  const [, key = '', version = '', box = ''] = /^([^~]*)~([^.]*)\.(.*)$/.exec(state) ?? []
  return { key, version, bytes: Buffer.from(box, 'base64url') }
}

const spelled = (key: string, version: string, bytes: Buffer) => `${key}~${version}.${bytes.toString('base64url')}`

/** Each bit of what is sealed, turned over. */
function* bitFlips(state: string): Generator<string> {
  const { key, version, bytes } = partsOf(state)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    yield spelled(key, version, changed)
  }
}

/** Each character of the text replaced by a neighbour, doubled, or left out. */
function* slips(state: string): Generator<string> {
  for (let at = 0; at < state.length; at++) {
    const [head, tail] = [state.slice(0, at), state.slice(at + 1)]
    for (const bit of [1, 32]) yield `${head}${String.fromCharCode(state.charCodeAt(at) ^ bit)}${tail}`
    yield `${head}${tail}`
    yield `${head}${state[at]}${state[at]}${tail}`
  }
}

/** Cut at every place, from either end. */
function* truncations(state: string): Generator<string> {
  for (let at = 0; at < state.length; at++) {
    yield state.slice(0, at)
    if (at > 0) yield state.slice(at)
  }
}

function* extensions(state: string, roll: (below: number) => number): Generator<string> {
  const letters = 'ABCDabcd0189-_=.~ \n\0é'
  for (const letter of letters) {
    for (let times = 1; times <= 4; times++) {
      yield state + letter.repeat(times)
      yield letter.repeat(times) + state
    }
  }
  for (let n = 0; n < 200; n++) {
    const tail = Array.from({ length: 1 + roll(40) }, () => letters[roll(letters.length)]).join('')
    yield state + tail
  }
}

/** The same bytes, written otherwise. */
function* reencodings(state: string): Generator<string> {
  const { key, version, bytes } = partsOf(state)
  for (const encoding of ['base64', 'hex', 'latin1', 'utf16le'] as const) {
    yield `${key}~${version}.${bytes.toString(encoding)}`
    yield Buffer.from(state).toString(encoding)
  }
  const standard = state.replaceAll('-', '+').replaceAll('_', '/')
  yield* [standard, `${standard}=`, `${state}=`, `${state}==`]
  yield* [state.toUpperCase(), state.toLowerCase(), JSON.stringify(state), `Bearer ${state}`, `${state}#`, `${state}?`]
  yield* [encodeURIComponent(state), state.replace('~', '%7E'), state.replace('.', '%2E'), state.replace('.', '．')]
  yield [...state].map((letter) => `&#${letter.charCodeAt(0)};`).join('')
  for (const space of ['\u200b', '\u00a0', '\ufeff', '\t', '\r\n', ' ']) {
    yield* [space + state, state + space, [...state].join(space)]
  }
  // The last character of base64 may hold bits that no byte needs.
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const last of letters) yield state.slice(0, -1) + last
  for (const other of ['v0', 'v2', 'V1', 'v01', '', '__proto__', 'v1.v1']) yield spelled(key, other, bytes)
}

/** Sealed with one key, said to be sealed with another. */
function* otherKeys(state: string, keyIds: readonly string[]): Generator<string> {
  const { version, bytes } = partsOf(state)
  const names = [
    '',
    'nobody',
    '__proto__',
    'constructor',
    'toString',
    '../keys',
    'k'.repeat(32),
    'k'.repeat(33),
    '~',
    '0',
  ]
  for (const key of [...keyIds, ...names]) yield spelled(key, version, bytes)
}

/** Heads of one and tails of another, and one behind the other. */
function* splices(one: string, other: string): Generator<string> {
  yield* [one + other, `${one}~${other}`, `${one}.${other}`, `${one},${other}`, `${one}\n${other}`]
  const [a, b] = [partsOf(one), partsOf(other)]
  yield spelled(a.key, a.version, Buffer.concat([a.bytes, b.bytes]))
  const shorter = Math.min(a.bytes.length, b.bytes.length)
  for (let at = 1; at < shorter; at++) {
    yield spelled(a.key, a.version, Buffer.concat([a.bytes.subarray(0, at), b.bytes.subarray(at)]))
  }
}

const huge = 1_000_000

function* monsters(state: string): Generator<unknown> {
  yield* ['', ' ', '\0', '~', '.', 'null', '{}', 'v1.', '~v1.', 'x'.repeat(huge), state.repeat(2_000), '~'.repeat(huge)]
  yield* [null, true, false, 0, -1, 1e308, [], [state], [[state]], {}, { toString: state }, { length: 1, 0: state }]
  yield* [{ w: 'walk', a: {}, p: {} }, { requestState: state }, { key: 'k', box: state }, '\ud800', `${state}\udfff`]
}

/** So many different values that are not `states` and come from them, in every way that comes to mind. */
export function tampered(states: readonly string[], keyIds: readonly string[], count: number): unknown[] {
  const roll = dice()
  const all = new Set<unknown>()
  const [first = '', second = ''] = states
  for (const value of monsters(first)) all.add(value)
  for (const state of states) {
    for (const value of otherKeys(state, keyIds)) all.add(value)
    for (const value of reencodings(state)) all.add(value)
    for (const value of extensions(state, roll)) all.add(value)
    for (const value of truncations(state)) all.add(value)
    for (const value of slips(state)) all.add(value)
  }
  for (const value of [...splices(first, second), ...splices(second, first)]) all.add(value)
  for (const state of states) for (const value of bitFlips(state)) all.add(value)
  for (const state of states) all.delete(state)

  const bytes = Buffer.byteLength(first)
  while (all.size < count) {
    all.add(spelled(partsOf(first).key, 'v1', Buffer.from(Array.from({ length: bytes }, () => roll(256)))))
  }
  return [...all]
}
