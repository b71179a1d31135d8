import type { Channel } from '../../elicitation/channel.ts'
import type { ChannelConfig, Config } from '../config/config.ts'

/** The channels in the settings. The code of each kind is loaded only if there is one. */
export function channelsFrom({ channels }: Pick<Config, 'channels'>): Promise<Channel[]> {
  return Promise.all(channels.map(open))
}

async function open(channel: ChannelConfig): Promise<Channel> {
  if ('webhook' in channel) {
    const { webhookChannel } = await import('../../channels/webhook/webhook-channel.ts')
    return webhookChannel({ name: `webhook ${new URL(channel.webhook.url).origin}`, ...channel.webhook })
  }
  if ('slack' in channel) {
    const { slackChannel } = await import('../../channels/slack/slack-channel.ts')
    return slackChannel(channel.slack)
  }
  if ('push' in channel) {
    const { pushChannel } = await import('../../channels/push/push-channel.ts')
    return pushChannel(channel.push)
  }
  const { mailChannel } = await import('../../channels/mail/mail-channel.ts')
  return mailChannel(channel.mail)
}
