import type { Quirk } from '../../../mcp/quirks.ts'
import { settingNames } from '../names.ts'
import type { Setting } from './setting.ts'

/** One entry of `clients`: what a named client does differently from what it declares. */
export function readClient(entry: Setting): Quirk[] {
  const settings = entry.only(settingNames.client)
  const name = settings.name.needed('write what the client calls itself').text()
  const { key, contains } = settings.meta.only(settingNames.clientMeta)
  const { name: variable, value } = settings.env.only(settingNames.clientEnv)
  const meta = settings.meta.isThere && {
    key: key.needed('write a key of `_meta`').text() ?? '',
    contains: contains.needed('write the text that tells this client').text() ?? '',
  }
  const env = settings.env.isThere && {
    name: variable.needed('write the name of an environment variable').text() ?? '',
    value: value.needed('write its value').word() ?? '',
  }
  const read = {
    since: settings.since.word(),
    until: settings.until.word(),
    userAgent: settings.userAgent.text(),
    lacks: modesIn(settings.lacks),
    adds: modesIn(settings.adds),
    unseenWithin: settings.unseenWithin.duration(),
    messageLines: settings.messageLines.count(),
    choiceOnly: settings.choiceOnly.flag(),
    wantsElicitationId: settings.wantsElicitationId.flag(),
    urlBy: settings.urlBy.choice(['push', 'error']),
  }
  if (name === undefined) return []
  const given = Object.entries(read).filter(([, setting]) => setting !== undefined)
  return [{ name, ...(meta && { meta }), ...(env && { env }), ...Object.fromEntries(given) }]
}

function modesIn(setting: Setting): ('form' | 'url')[] | undefined {
  return setting.isThere ? setting.items().flatMap((mode) => mode.choice(['form', 'url']) ?? []) : undefined
}
