import { BadArgument } from '../../base/errors.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import type { Beginning, KeyKept } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { findProvider } from '../find-provider.ts'
import { scopesToAsk } from '../scopes.ts'
import { connectQuestion } from './connect-question.ts'
import { keepConnection } from './keep-connection.ts'

/** What can stand in a header. Anything else came along by accident when the key was copied. */
const keyPattern = /^[\x20-\x7e]{1,4096}$/
const badKey = 'A key has 1 to 4096 letters, digits and signs, without line breaks or accents. Copy it once more.'

/** Keeps a key as the person gave it, but for the space around it. */
export async function keepKey(
  desk: ConnectionDesk,
  { provider: name, person, elicitation: id }: Omit<Beginning, 'browser'>,
  given: string,
): Promise<KeyKept> {
  const provider = findProvider(desk, name)
  if (provider.by.kind !== 'key') throw new BadArgument(`${provider.title} does not take a key.`)
  const asked = id && (await connectQuestion(desk, { id, provider: name, person }))
  if (asked && isSettled(asked)) {
    const data = { provider: name, reason: 'late' }
    await desk.audit.record({ kind: 'connect-refused', who: person.participant, about: asked.id, data })
    return { kind: 'late', elicitation: asked }
  }

  const key = given.trim()
  if (!keyPattern.test(key)) return { kind: 'invalid', message: badKey }
  // Nobody says what a key allows: it counts as good for what was asked for, until the service refuses it.
  const scopes = scopesToAsk(provider, asked, await desk.store.get(person.participant, name))
  return keepConnection(desk, { provider, person, asked, credential: { kind: 'key', key }, by: 'key', scopes })
}
