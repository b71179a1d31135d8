import { BadArgument } from '../../../base/errors.ts'
import {
  type Capability,
  defaultHubLimits,
  membersOf,
  type ParticipantOptions,
  type SpaceOptions,
} from '../../../hub/options.ts'
import { parseParticipantId } from '../../../participant/participant.ts'
import type { Config } from '../config.ts'
import { settingNames } from '../names.ts'
import { counts, durations } from './sections.ts'
import type { Setting } from './setting.ts'

/** `hub`: the spaces with their participants, and what holds for all of them. */
export function readHub(setting: Setting): Config['hub'] {
  const { spaces, limits, clocks } = setting.only(settingNames.hub)
  return {
    spaces: Object.fromEntries(spaces.entries().map((space) => [String(space.path.at(-1)), readSpace(space)])),
    limits: counts(limits, { ...defaultHubLimits }),
    times: durations(clocks, hubClocks),
  }
}

/** The defaults of `hub.clocks`, as they are written. */
export const hubClocks = { heartbeat: '20s', answer: '10m', ticket: '1m', tools: '15s' } as const

function readSpace(setting: Setting): SpaceOptions {
  const { participants, history } = setting.only(settingNames.space)
  const historyMs = history.duration()
  const space: SpaceOptions = {
    participants: Object.fromEntries(
      participants.entries().map((one) => [String(one.path.at(-1)), readParticipant(one)]),
    ),
    ...(historyMs !== undefined && { historyMs }),
  }
  try {
    membersOf(String(setting.path.at(-1)), space)
  } catch (error) {
    setting.say(`cannot be used: ${error instanceof BadArgument ? error.message : String(error)}`)
  }
  return space
}

function readParticipant(setting: Setting): ParticipantOptions {
  const settings = setting.only(settingNames.participant)
  const { groups, may, participant } = settings
  const read = {
    name: settings.name.text(),
    token: settings.token.text(),
    participant: readPerson(participant),
    groups: groups.isThere ? groups.items().flatMap((group) => group.text() ?? []) : undefined,
    for: settings.for.text(),
    may: may.isThere ? may.items().flatMap(readCapability) : undefined,
    asks: settings.asks.choice(['hub', 'itself']),
  }
  const kind = settings.kind.needed('write human, agent or robot').choice(['human', 'agent', 'robot']) ?? 'agent'
  const given = Object.entries(read).filter(([, value]) => value !== undefined)
  return { kind, ...Object.fromEntries(given) }
}

function readPerson(setting: Setting): ParticipantOptions['participant'] {
  const text = setting.text()
  if (text === undefined) return undefined
  try {
    return parseParticipantId(text)
  } catch {
    return setting.wrong('write local, or subject@issuer')
  }
}

function readCapability(setting: Setting): Capability[] {
  if (typeof setting.value === 'string') return [setting.value]
  const { method, tool, to, not } = setting.only(settingNames.capability)
  const globs = (one: Setting) =>
    Array.isArray(one.value) ? one.items().flatMap((item) => item.text() ?? []) : one.text()
  const read = { method: globs(method), tool: globs(tool), to: globs(to), not: not.flag() }
  return [Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))]
}
