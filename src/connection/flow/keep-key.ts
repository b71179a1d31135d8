import { BadArgument } from '../../base/errors.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import type { ConnectRequest, KeyKept } from '../connections.ts'
import type { ConnectionDesk } from '../desk.ts'
import { findProvider } from '../find-provider.ts'
import { scopesToAsk } from '../scopes.ts'
import { connectQuestion } from './connect-question.ts'
import { keepConnection } from './keep-connection.ts'

/** Characters that a header may have. Any other was copied by accident. */
const keyPattern = /^[\x20-\x7e]{1,4096}$/
const badKey =
  'A key has 1 to 4096 letters, digits and punctuation marks, without line breaks or accents. Copy it again.'

/** Stores a key that the person entered, without surrounding space. */
export async function keepKey(
  desk: ConnectionDesk,
  { provider: name, person, elicitation: id }: Omit<ConnectRequest, 'browser'>,
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
  // The scopes of a key are unknown, so it counts as valid for those asked for until the service rejects it.
  const scopes = scopesToAsk(provider, asked, await desk.store.get(person.participant, name))
  return keepConnection(desk, { provider, person, asked, credential: { kind: 'key', key }, by: 'key', scopes })
}
