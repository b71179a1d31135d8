import { milliseconds } from '../../../base/durations.ts'
import { localParticipant, type ParticipantId, parseParticipantId } from '../../../participant/participant.ts'
import type { HooksConfig } from '../config.ts'
import { defaults } from '../defaults.ts'
import { settingNames } from '../names.ts'
import { readRanges } from './addresses.ts'
import type { Setting } from './setting.ts'

const shortestToken = 32

/** The hooks of coding agents. */
export function readHooks(setting: Setting, hasLogin: boolean): HooksConfig {
  const { hold, token, participant, allow } = setting.only(settingNames.hooks)
  const secret = token.text()
  if (secret !== undefined && secret.length < shortestToken) {
    token.say(`is too short to be a secret; write ${shortestToken} characters or more, made at random.`)
  }
  const person = readPerson(participant, hasLogin)
  return {
    hold: hold.duration() ?? milliseconds(defaults.hooks.hold),
    ...(secret !== undefined && { token: secret }),
    ...(person !== undefined && { participant: person }),
    allow: readRanges(allow),
  }
}

/** Without a login there is one person, who needs no name; with one, nobody is local. */
function readPerson(setting: Setting, hasLogin: boolean): ParticipantId | undefined {
  const text = setting.text()
  if (text === undefined) return undefined
  if (!hasLogin) return setting.wrong('without auth, leave it out')
  try {
    const person = parseParticipantId(text)
    if (person !== localParticipant) return person
  } catch {}
  return setting.wrong('write subject@issuer')
}
