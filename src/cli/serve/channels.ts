import type { Channel } from '../../elicitation/channel.ts'
import type { Config } from '../config/config.ts'

/** The channels in the settings. Their code is loaded only if there are any. */
export async function channelsFrom({ channels }: Pick<Config, 'channels'>): Promise<Channel[]> {
  if (channels.length === 0) return []
  const { webhookChannel } = await import('../../channels/webhook/webhook-channel.ts')
  return channels.map(({ webhook }) => webhookChannel({ name: `webhook ${new URL(webhook.url).origin}`, ...webhook }))
}
