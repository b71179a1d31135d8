import { describe, expect, test } from 'vitest'
import { decodeWalk, encodeWalk, newWalk, type WalkState } from '../../src/asking/rounds/walk-state.ts'
import type { ElicitationId } from '../../src/elicitation/elicitation.ts'

const record = 'a-record' as ElicitationId

/** Every field that a walk can have. */
const walk: WalkState = {
  id: 'walk-1',
  answered: {
    ticket: { fingerprint: 'f1', value: { ticket: 'T-1' } },
    page: { fingerprint: 'f2', record },
    refused: { fingerprint: 'f3', refused: 'decline' },
    approval: { fingerprint: 'f4', value: [], record, spentFor: 'digest' },
  },
  pending: {
    form: { fingerprint: 'f5', tries: 1, problem: 'Too long.' },
    connect: { fingerprint: 'f6', record, opened: true },
  },
  round: 3,
  handlerState: 'its own',
  upstream: { n: 1, q: {}, s: 'theirs' },
}

/** The same as versions before 0.2 sealed it. It must never change: clients hold such states. */
const sealedFormat = {
  w: 'walk-1',
  a: {
    ticket: { f: 'f1', v: { ticket: 'T-1' } },
    page: { f: 'f2', r: 'a-record' },
    refused: { f: 'f3', x: 'decline' },
    approval: { f: 'f4', v: [], r: 'a-record', g: 'digest' },
  },
  p: {
    form: { f: 'f5', t: 1, e: 'Too long.' },
    connect: { f: 'f6', r: 'a-record', o: true },
  },
  n: 3,
  s: 'its own',
  u: { n: 1, q: {}, s: 'theirs' },
}

describe('the state of a walk', () => {
  test('that the version before sealed is read', () => {
    expect(decodeWalk(sealedFormat)).toEqual(walk)
  })

  test('is written as the version before reads it', () => {
    expect(encodeWalk(walk)).toEqual(sealedFormat)
  })

  test('is small when nothing was asked yet', () => {
    const { id } = newWalk()
    expect(encodeWalk({ id, answered: {}, pending: {} })).toEqual({ w: id, a: {}, p: {} })
  })

  test.each([undefined, null, 'text', 7, {}, { w: 'walk-1' }, { w: 1, a: {}, p: {} }])(
    'in another format starts a new walk: %j',
    (state) => {
      expect(decodeWalk(state)).toEqual({ id: expect.any(String), answered: {}, pending: {} })
    },
  )
})
