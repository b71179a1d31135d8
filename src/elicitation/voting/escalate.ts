import { noVoting, type VotedOn, type Voting } from './voting.ts'

/** What is gathered when everybody is asked who is to be asked by this moment; the same where nobody is. */
export function withEscalations({ answerers, createdAt, voting }: VotedOn, at: Date): Voting | undefined {
  const { escalations } = voting ?? noVoting
  const due = (answerers.escalate ?? [])
    .slice(escalations.length)
    .filter(({ afterMs }) => createdAt.getTime() + afterMs <= at.getTime())
  if (due.length === 0) return voting
  return { ...(voting ?? noVoting), escalations: [...escalations, ...due.map(({ to }) => ({ to, at }))] }
}

/** When others are asked next; undefined: nobody else will be. */
export function nextEscalation({ answerers, createdAt, voting }: Omit<VotedOn, 'requester'>): Date | undefined {
  const step = answerers.escalate?.[voting?.escalations.length ?? 0]
  return step && new Date(createdAt.getTime() + step.afterMs)
}
