import { expect, test } from 'vitest'
import { doneWords, standingWords, votingWords } from '../../src/approval/question/voting-words.ts'
import type { Elicitation } from '../../src/elicitation/elicitation.ts'
import { noVoting, type Vote, type Voting } from '../../src/elicitation/voting/voting.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { anElicitation, answered } from '../../src/testing/index.ts'

const [dave, erin] = ['dave@https://login.example.com', 'erin@https://login.example.com'] as ParticipantId[] as [
  ParticipantId,
  ParticipantId,
]
const nameOf = (name: string) => name.split('@')[0] as string
const at = new Date('2026-01-01T00:00:00Z')
const vote = (by: ParticipantId, over: Partial<Vote> = {}): Vote => ({
  by,
  choice: 'allow_once',
  at,
  via: 'page',
  digest: 'd',
  ...over,
})
const finance = { anyOf: ['group:finance'], through: 'page' } as const

function aQuestion(over: Partial<Elicitation>, voting?: Partial<Voting>): Elicitation {
  return anElicitation({
    purpose: 'approval',
    answerers: { ...finance, quorum: 2 },
    ...(voting && { voting: { ...noVoting, ...voting } }),
    ...over,
  })
}

test('nothing is said of a question that one person decides', () => {
  expect(votingWords(aQuestion({ answerers: finance }), nameOf)).toEqual([])
})

test('who said what, what is missing, who handed it on and who was asked too', () => {
  const asked = aQuestion(
    {},
    {
      votes: [vote(dave, { reason: 'it is due' })],
      outdated: [vote(erin)],
      delegations: [{ from: erin, to: 'group:leads', at, via: 'page' }],
      escalations: [{ to: ['group:board', dave], at }],
      edit: { by: dave, at, digest: 'd', content: {} },
    },
  )
  expect(votingWords(asked, nameOf)).toEqual([
    '2 people must say yes. 1 so far, 1 missing.',
    'dave said yes: “it is due”',
    'dave changed the arguments, and the count started again.',
    'erin said yes before that change, which does not count any more.',
    'erin handed it on to anyone in leads.',
    'It was still open, so it also goes to anyone in board and dave.',
    'It waits for anyone in finance, anyone in board, anyone in leads.',
  ])
})

test('a question of one person that was handed on says so, and counts nothing', () => {
  const delegations = [{ from: dave, to: erin, at, via: 'page' as const }]
  expect(votingWords(aQuestion({ answerers: finance }, { delegations }), nameOf)).toEqual([
    'dave handed it on to erin.',
    'It waits for anyone in finance, erin.',
  ])
})

test('the reader is called you, and who cannot say yes any more is not waited for', () => {
  const requester = { participant: erin, client: 'c' }
  const answerers = { anyOf: [dave, erin], through: 'page', quorum: 2 } as const
  const asked = aQuestion({ requester, answerers }, { votes: [vote(dave)] })
  expect(votingWords(asked, (name) => (name === dave ? 'you' : nameOf(name)))).toEqual([
    '2 people must say yes. 1 so far, 1 missing.',
    'You said yes.',
    'It waits for nobody who could still answer.',
  ])
  expect(standingWords(asked)).toEqual(['1 of 2 people said yes.'])
  const edit = { by: dave, at, digest: 'd', content: {} }
  expect(standingWords(aQuestion({}, { edit }))).toEqual([
    '0 of 2 people said yes. The arguments were changed, and the count started again.',
  ])
  expect(standingWords(aQuestion({ answerers: finance }))).toEqual([])
})

test('a settled question waits for nobody', () => {
  const both = answered(aQuestion({}, { votes: [vote(dave), vote(erin)] }))
  expect(votingWords(both, nameOf)).toEqual(['2 people must say yes. All have.', 'dave said yes.', 'erin said yes.'])
  const no = answered(aQuestion({}, { votes: [vote(dave, { choice: 'deny' })] }))
  expect(votingWords(no, nameOf)).toContain('dave said no.')
})

test('a person is told why they have nothing to answer', () => {
  const inFinance = (participant: ParticipantId) => ({ participant, groups: ['finance'] })
  expect(doneWords(aQuestion({}), inFinance(dave))).toBeUndefined()
  expect(doneWords(aQuestion({}, { votes: [vote(dave)] }), inFinance(dave))).toBe('You said yes. Now others must.')
  expect(doneWords(aQuestion({}, { delegations: [{ from: dave, to: erin, at, via: 'page' }] }), inFinance(dave))).toBe(
    'You handed this on.',
  )
  expect(doneWords(aQuestion({}), { participant: dave, groups: [] })).toBe('This is not yours to answer any more.')
})

test('the yes of somebody who was forgotten is said not to count, nor that of whom they handed it to', () => {
  const forgotten = 'forgotten' as ParticipantId
  const delegations = [{ from: forgotten, to: erin, at, via: 'page' as const }]
  const asked = aQuestion({}, { votes: [vote(forgotten), vote(erin, { part: 0 })], delegations })
  expect(votingWords(asked, nameOf)).toEqual([
    '2 people must say yes. 0 so far, 2 missing.',
    'Somebody whose name was erased said yes, which does not count any more.',
    'erin said yes, which does not count any more.',
    'Somebody whose name was erased handed it on to erin.',
    'It waits for anyone in finance.',
  ])
  expect(doneWords(asked, { participant: erin, groups: [] })).toBe('This is not yours to answer any more.')
})
