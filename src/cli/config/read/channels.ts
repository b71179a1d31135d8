import { BadArgument } from '../../../base/errors.ts'
import { isPlainObject } from '../../../base/json.ts'
import { quietFor } from '../../../channels/delivery/quiet-hours.ts'
import { isAnswererName, isParticipantName } from '../../../elicitation/answering/answerers.ts'
import { isLoopback } from '../../../elicitation/asking/url.ts'
import type {
  ChannelConfig,
  MailConfig,
  PeopleChannelConfig,
  PushConfig,
  SlackConfig,
  WebhookConfig,
} from '../config.ts'
import { settingNames } from '../names.ts'
import type { Setting } from './setting.ts'

const kinds = 'write { webhook: … }, { mail: … }, { slack: … } or { push: … }'

/** A way to tell people of questions. */
export function readChannel(entry: Setting): ChannelConfig[] {
  if (!isPlainObject(entry.value)) {
    entry.wrongKind(kinds)
    return []
  }
  const { webhook, mail, slack, push } = entry.only(settingNames.channel)
  const named = [webhook, mail, slack, push].filter(({ isThere }) => isThere)
  if (named.length !== 1) {
    entry.say(
      named.length > 1 ? 'names two channels; write each as an item of its own.' : `names no channel; ${kinds}.`,
    )
    return []
  }
  if (webhook.isThere) return readWebhook(webhook).map((one) => ({ webhook: one }))
  if (push.isThere) return [{ push: readPush(push) }]
  return mail.isThere ? [{ mail: readMail(mail) }] : [{ slack: readSlack(slack) }]
}

function readWebhook(setting: Setting): WebhookConfig[] {
  const { url, secret, name, allowPrivate } = setting.only(settingNames.webhook)
  const address = url.needed('write the address that gets the events').url()
  const key = secret.needed(`write the secret that signs the events, such as "\${env:HOOK_SECRET}"`).text()
  const isPrivate = allowPrivate.flag()
  if (address !== undefined && isLoopback(address.hostname) && isPrivate !== true) {
    url.say('is on this machine; add allowPrivate: true to the webhook.')
  }
  if (address === undefined || key === undefined) return []
  return [defined({ url: address.href, secret: key, name: name.text(), allowPrivate: isPrivate }) as WebhookConfig]
}

// Where a required setting is missing, a problem is recorded, and reading ends with an error.
function readMail(setting: Setting): MailConfig {
  const { smtp, from, allowPlain, ...common } = setting.only(settingNames.mail)
  const server = smtp.needed(`write the mail server, such as "smtps://\${env:MAIL_LOGIN}@mail.example.com"`).text()
  if (server !== undefined && !/^smtps?:\/\/[^/]/.test(server)) smtp.say('does not begin with smtps:// or smtp://.')
  return defined({
    smtp: server,
    from: from.needed('write the sender, such as "Assent <assent@example.com>"').text(),
    allowPlain: allowPlain.flag(),
    ...readCommon(common, mailAddress),
  }) as MailConfig
}

function readSlack(setting: Setting): SlackConfig {
  const { token, details, signingSecret, team, people, ...common } = setting.only(settingNames.slack)
  const buttons = [signingSecret, team, people]
  if (buttons.some(({ isThere }) => isThere)) {
    for (const one of buttons) one.needed('buttons need signingSecret, team and people')
    if (details.flag() !== true) details.say('must be true for buttons: nobody may allow what they do not see.')
  }
  for (const one of people.entries()) {
    if (!isParticipantName(String(one.value))) one.wrong('write a participant: local, or subject@issuer')
  }
  return defined({
    token: token.needed(`write the bot token of your Slack app, such as "\${env:SLACK_TOKEN}"`).text(),
    details: details.flag(),
    signingSecret: signingSecret.text(),
    team: team.text(),
    people: people.isThere ? people.words() : undefined,
    ...readCommon(common, slackAddress),
  }) as SlackConfig
}

function readPush(setting: Setting): PushConfig {
  const { contact, name, gather, quiet } = setting.only(settingNames.push)
  const address = contact.needed('write whom push services may write to, such as "mailto:ops@example.com"').text()
  if (address !== undefined && !/^(mailto:[^@\s]+@[^@\s]+|https:\/\/[^/\s]\S*)$/.test(address)) {
    contact.say('does not begin with mailto: or https://.')
  }
  return defined({
    contact: address,
    name: name.text(),
    gatherMs: gather.duration(),
    quiet: readQuiet(quiet),
  }) as PushConfig
}

interface AddressKind {
  readonly pattern: RegExp
  readonly example: string
}

const mailAddress: AddressKind = {
  pattern: /^[^\s@,;<>"]+@[^\s@,;<>"]+$/,
  example: 'mail address, such as alice@example.com',
}
const slackAddress: AddressKind = {
  pattern: /^[A-Z][A-Z0-9]{5,20}$/,
  example: 'Slack user or channel, such as U012AB3CD',
}

function readCommon(
  { to, name, gather, quiet }: Record<'to' | 'name' | 'gather' | 'quiet', Setting>,
  kind: AddressKind,
): Partial<PeopleChannelConfig> {
  return defined({
    to: readAddresses(to.needed(`write for each person a ${kind.example}`), kind),
    name: name.text(),
    gatherMs: gather.duration(),
    quiet: readQuiet(quiet),
  }) as Partial<PeopleChannelConfig>
}

/** Addresses by participant, group or `*`: one, or a list. */
function readAddresses(setting: Setting, kind: AddressKind): PeopleChannelConfig['to'] {
  return Object.fromEntries(
    setting.entries().map((entry) => {
      const name = entry.path.at(-1) as string
      if (name !== '*' && !isAnswererName(name)) {
        entry.say('is for nobody; write local, subject@issuer, group:name, or * for everybody else.')
      }
      const items = Array.isArray(entry.value) ? entry.items() : [entry]
      return [name, items.flatMap((item) => readAddress(item, kind) ?? [])]
    }),
  )
}

function readAddress(setting: Setting, { pattern, example }: AddressKind): string | undefined {
  const text = setting.text()
  if (text === undefined || pattern.test(text)) return text
  return setting.wrong(`write one ${example}`)
}

function readQuiet(setting: Setting): PeopleChannelConfig['quiet'] {
  if (!setting.isThere) return undefined
  const { from, to, timeZone } = setting.only(settingNames.quiet)
  const start = from.needed('write a time of day in quotes, such as "22:00"').text()
  const end = to.needed('write a time of day in quotes, such as "07:00"').text()
  if (start === undefined || end === undefined) return undefined
  const hours = defined({ from: start, to: end, timeZone: timeZone.text() }) as NonNullable<
    PeopleChannelConfig['quiet']
  >
  try {
    quietFor(hours)
  } catch (error) {
    if (error instanceof BadArgument) return setting.say(`cannot be read: ${error.message}`)
    throw error
  }
  return hours
}

function defined<T extends object>(all: T): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined)) as Partial<T>
}
