import { inBackground } from '../../base/under-way.ts'
import type { Member } from '../options.ts'
import type { Capabilities } from '../routing/capabilities.ts'
import { type Router, route } from '../routing/receive.ts'
import { closeCodes } from '../wire/connection.ts'
import { hubName, readEnvelope } from '../wire/envelope.ts'
import type { HubProblem, ProblemCode } from '../wire/write.ts'
import type { Joined } from './joined.ts'

interface TakeParts {
  readonly router: Router
  readonly capabilities: ReadonlyMap<string, Capabilities>
  /** Tells the others that a participant is alive. */
  beat(member: Member): void
}

/** Refusals without a rest between them after which one who sends too much is disconnected. */
const mostRefusals = 1_000

/** What somebody tried who is not allowed to. The audit has it. */
const recorded: ReadonlySet<ProblemCode> = new Set(['forged-from', 'not-allowed', 'not-pending', 'id-used'])

/** Takes the messages of participants: not too many, not too large, each in its sender's own name. */
export function takeMessages({ router, capabilities, beat }: TakeParts): (joined: Joined, data: Buffer) => void {
  const { desk } = router
  const { limits } = desk

  function tooMany(joined: Joined, isTold: boolean): void {
    const message = `You may send ${limits.envelopesPerSecond} envelopes a second. This one was not taken.`
    if (isTold) desk.refuse(joined.member.id, { code: 'too-many', message })
    if (joined.rate.refused < mostRefusals) return
    joined.connection.close(closeCodes.refused, 'You sent too much for too long.')
  }

  function refuse({ id, identity }: Member, problem: HubProblem): void {
    desk.refuse(id, problem)
    if (!recorded.has(problem.code)) return
    const data = { space: desk.name, participant: id, code: problem.code }
    inBackground(desk.assent.record({ kind: 'hub-refused', who: identity, data }))
  }

  function problemWith(joined: Joined, data: Buffer): HubProblem | undefined {
    const { member } = joined
    if (data.length > limits.envelopeBytes) {
      const message = `An envelope has at most ${limits.envelopeBytes} bytes, and this one has ${data.length}.`
      return { code: 'too-large', message }
    }
    const text = data.toString()
    const envelope = readEnvelope(text)
    if ('problem' in envelope) {
      const { problem: message, id } = envelope
      return { code: 'unreadable', message, ...(id !== undefined && { correlationId: id }) }
    }
    if (envelope.from !== member.id) {
      const message = `You are ${member.id}, and cannot send as ${envelope.from}.`
      return { code: 'forged-from', message, correlationId: envelope.id }
    }
    if (envelope.kind === 'presence') {
      beat(member)
      return undefined
    }
    if (envelope.kind === 'system' && envelope.to[0] === hubName) {
      joined.acknowledged(envelope.payload)
      return undefined
    }
    const own = capabilities.get(member.id) as Capabilities
    const written = envelope.text === text ? data : Buffer.from(envelope.text)
    return route(router, { sender: member, capabilities: own, envelope, data: written })
  }

  return (joined, data) => {
    const taken = joined.rate.take(performance.now())
    if (taken !== 'ok') {
      tooMany(joined, taken === 'told')
      return
    }
    const problem = problemWith(joined, data)
    if (problem !== undefined) refuse(joined.member, problem)
  }
}
