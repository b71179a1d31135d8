import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseParticipantId, participantId } from '../../src/participant/participant.ts'
import { type Requester, requesterKey } from '../../src/participant/requester.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })

test('two identities have one id only when issuer and subject are the same', () => {
  fc.assert(
    fc.property(text, text, text, text, (issuer, subject, otherIssuer, otherSubject) => {
      const same = participantId({ issuer, subject }) === participantId({ issuer: otherIssuer, subject: otherSubject })
      expect(same).toBe(issuer === otherIssuer && subject === otherSubject)
    }),
  )
})

test('an id reads well, and cannot pass for a group or for the local participant', () => {
  expect(participantId({ issuer: 'https://login.example.com', subject: 'a@b' })).toBe('a%40b@https://login.example.com')
  expect(participantId({ issuer: 'x', subject: 'group:ops' })).toBe('group%3Aops@x')
  expect(() => participantId({ issuer: 'x', subject: '' })).toThrow('issuer and a subject')
  expect(() => participantId({ issuer: 'x', subject: 'a\ud800' })).toThrow('whole Unicode')
  expect(() => participantId({ issuer: '', subject: 'x' })).toThrow('issuer and a subject')
})

test('an id is read back from text', () => {
  for (const id of ['local', 'a%40b@https://login.example.com']) expect(parseParticipantId(id)).toBe(id)
  for (const id of ['', 'alice', 'group:ops', 'a b@x', '@x'])
    expect(() => parseParticipantId(id)).toThrow('subject@issuer')
})

test('a requester is the same for the same participant, client and agents, by whatever name', () => {
  const alice: Requester = { participant: parseParticipantId('local'), client: 'a' }
  expect(requesterKey({ ...alice, clientName: 'Claude' })).toBe(requesterKey(alice))
  expect(requesterKey({ ...alice, agents: [] })).toBe(requesterKey(alice))
  const others: Partial<Requester>[] = [{ client: 'b' }, { participant: parseParticipantId('x@y') }, { agents: ['a'] }]
  for (const other of others) expect(requesterKey({ ...alice, ...other })).not.toBe(requesterKey(alice))
})
